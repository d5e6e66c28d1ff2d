import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { createBuiltInFixture } from "../cli/certify/built-in-fixtures.ts";
import type { OpenedHandle } from "../conformance/fixture.ts";
import { createCheckpointer, type EventObject } from "../src/index.ts";
import { bench, benchWith } from "./bench.ts";
import { workloadTitles, type BenchReport, type Figure } from "./bench-report.ts";
import type { Subject } from "./subject.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "checkpointer-bench-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function builtIn(name: "memory" | "file" | "sqlite", pipeline: "plain" | "sealed"): Subject {
  const source = { kind: "built-in", name, pipeline } as const;
  const sealed = pipeline === "sealed";
  return {
    name: sealed ? `${name}, sealed` : name,
    createFixture: createBuiltInFixture(source, { prefix: join(folder, `${name}-`) }),
    plain: sealed ? name : undefined,
    floor: name,
  };
}

/** A store of somebody else: the minimal methods, without a manifest. */
const minimal: Subject = {
  name: "minimal",
  createFixture() {
    const store = createCheckpointer<EventObject>(memoryStore());
    const handle: OpenedHandle = {
      append: (id, events, expected) => store.append(id, events, expected),
      read: (id, options) => store.read(id, options),
      head: (id) => store.head(id),
      list: () => store.list(),
      delete: (id) => store.delete(id),
    };
    return { name: "minimal", open: () => handle, dispose: () => undefined };
  },
};

/** As short as can be: these tests are about what is in a report, not about times. */
function quick(subjects: readonly Subject[], workloads?: readonly string[]): Promise<BenchReport> {
  return benchWith(
    { subjects, workloads, folder },
    {
      name: "quick",
      blocks: 3,
      blockMilliseconds: 2,
      latencyMilliseconds: 30,
      sizes: { session: 200, large: 400, sessions: 20 },
    },
  );
}

const figureOf = ({ figures }: BenchReport, id: string, subject: string): Figure | undefined =>
  figures.find((figure) => figure.id === id && figure.subject === subject);

test("every workload gives a figure or a reason for each store, and nothing stays behind", async () => {
  const subjects = [
    builtIn("memory", "plain"),
    builtIn("file", "plain"),
    builtIn("sqlite", "plain"),
  ];
  const report = await quick([...subjects, minimal]);
  for (const workload of Object.keys(workloadTitles)) {
    for (const { name } of report.subjects) {
      const isTold =
        report.figures.some((figure) => figure.workload === workload && figure.subject === name) ||
        report.skipped.some((one) => one.workload === workload && one.subject === name);
      expect(isTold, `${workload} on ${name}`).toBe(true);
    }
  }
  expect(report.skipped.map(({ subject }) => subject)).not.toContain("file");
  expect(figureOf(report, "W11", "file")?.growth.map(({ events }) => events)).toEqual([
    20, 200, 400,
  ]);
  expect(figureOf(report, "W12", "sqlite")?.latencies.map(({ from }) => from)).toEqual([
    "intended",
    "intended",
  ]);
  expect(report.counters.map(({ subject }) => subject)).toContain("sqlite");
  expect(await readdir(folder)).toEqual([]);
}, 180_000);

test("a figure has its raw blocks, and its ratio is the one of its blocks", async () => {
  const subjects = [builtIn("memory", "plain"), builtIn("memory", "sealed")];
  const report = await quick(subjects, ["W01"]);
  const sealed = figureOf(report, "W01", "memory, sealed");
  expect(sealed?.blocks).toHaveLength(3);
  for (const { time, floor, plain } of sealed?.blocks ?? []) {
    expect(time).toBeGreaterThan(0);
    expect(floor).toBeGreaterThan(0);
    expect(plain).toBeGreaterThan(0);
  }
  const ratios = (sealed?.blocks ?? []).map(({ time, plain }) => time / (plain ?? 0));
  expect(sealed?.codecRatio?.estimate).toBeGreaterThanOrEqual(Math.min(...ratios));
  expect(sealed?.codecRatio?.estimate).toBeLessThanOrEqual(Math.max(...ratios));
  expect(figureOf(report, "W01", "memory")?.codecRatio).toBeNull();
  expect(sealed?.latencies[0]?.count).toBeGreaterThan(0);
});

test("a store that fails ends the run with its error, and what was made is removed", async () => {
  const failing: Subject = {
    name: "failing",
    createFixture: async () => {
      const fixture = await builtIn("file", "plain").createFixture();
      const open = async (): Promise<never> => {
        const handle = await fixture.open();
        const append = (): Promise<number> => Promise.reject(new Error("disk full"));
        return { ...handle, append } as never;
      };
      return { ...fixture, open };
    },
  };
  await expect(quick([failing, builtIn("sqlite", "plain")], ["W01"])).rejects.toThrow("disk full");
  expect(await readdir(folder)).toEqual([]);
});

test("an abort ends the run with its reason, and what was made is removed", async () => {
  const reason = new Error("enough");
  const { signal } = { signal: AbortSignal.abort(reason) };
  const subjects = [builtIn("file", "plain")];
  await expect(bench({ subjects, effort: "quick", folder, signal })).rejects.toBe(reason);
  expect(await readdir(folder)).toEqual([]);
});

test("bench() refuses no subject, two of one name, and an input without events", async () => {
  await expect(bench({ subjects: [] })).rejects.toThrow("at least one subject, met none");
  await expect(bench({ subjects: [minimal, minimal] })).rejects.toThrow('met "minimal" twice');
  const input = { name: "empty.jsonl", events: [] };
  await expect(bench({ subjects: [minimal], input })).rejects.toThrow("met none");
});

test.skipIf(process.env["PG_TEST_URL"] === undefined)(
  "a Postgres store is compared with the bare operation on its own server, and leaves nothing there",
  async () => {
    const source = { kind: "built-in", name: "postgres", pipeline: "plain" } as const;
    const subject = { name: "postgres", createFixture: createBuiltInFixture(source, {}) };
    const report = await quick([subject], ["W01", "W02", "W07", "W08", "W09"]);
    const floors = report.figures.map(({ id, floor }) => [id, floor?.name]);
    expect(Object.fromEntries(floors)).toEqual({
      W01: "a prepared INSERT",
      "W02/10": "a prepared INSERT",
      "W02/100": "a prepared INSERT",
      W07: "SELECT + JSON.parse",
      W08: "SELECT … DESC LIMIT + JSON.parse",
      "W08/large": "SELECT … DESC LIMIT + JSON.parse",
      W09: "SELECT max(seq) … GROUP BY session",
    });
    for (const { ratio } of report.figures) expect(ratio?.estimate).toBeGreaterThan(0);
    const client = new pg.Client({ connectionString: process.env["PG_TEST_URL"] });
    await client.connect();
    const left = "SELECT FROM pg_namespace WHERE nspname LIKE 'ckpt_floor_%'";
    expect((await client.query(left)).rowCount).toBe(0);
    await client.end();
  },
);
