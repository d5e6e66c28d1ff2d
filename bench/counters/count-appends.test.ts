import { expect, test } from "vitest";
import { createBuiltInFixture } from "../../cli/certify/built-in-fixtures.ts";
import type { CounterName, CounterSet } from "../bench-report.ts";
import { eventMix } from "../event-mix.ts";
import { countAppends } from "./count-appends.ts";
import { traceRefusal } from "./trace-calls.ts";

const events = eventMix(1_000, 1);

async function count(
  name: "file" | "sqlite",
  durability: "power" | "process",
): Promise<readonly CounterSet[]> {
  const source = { kind: "built-in", name, pipeline: "plain" } as const;
  const fixture = await createBuiltInFixture(source, { durability })();
  try {
    return await countAppends(name, fixture, events);
  } finally {
    await fixture.dispose();
  }
}

function valueOf(sets: readonly CounterSet[], batch: number, name: CounterName): number | null {
  const set = sets.find((one) => one.batch === batch);
  return set?.counters.find((counter) => counter.name === name)?.value ?? null;
}

test("the file adapter writes once and syncs once an append, whatever its size", async () => {
  const sets = await count("file", "power");
  for (const batch of [1, 10, 100]) {
    expect(valueOf(sets, batch, "syncs"), `syncs of ${batch}`).toBe(1);
    expect(valueOf(sets, batch, "writes"), `writes of ${batch}`).toBe(1);
  }
  expect(valueOf(sets, 1, "statements")).toBe(0);
  expect(valueOf(sets, 1, "filesPerSession")).toBe(1);
});

test("the file adapter does not sync where a power cut may take the last events", async () => {
  expect(valueOf(await count("file", "process"), 1, "syncs")).toBe(0);
});

test("counts are the same at every run, but for those that time decides", async () => {
  const exact = (sets: readonly CounterSet[]): unknown =>
    sets.map(({ batch, counters }) => [
      batch,
      counters.filter(({ name }) => name !== "otherFileCalls"),
    ]);
  for (const name of ["file", "sqlite"] as const) {
    expect(exact(await count(name, "power"))).toEqual(exact(await count(name, "power")));
  }
});

test("SQLite runs one statement and one transaction for an append of one event", async () => {
  const sets = await count("sqlite", "power");
  expect(valueOf(sets, 1, "statements")).toBe(1);
  expect(valueOf(sets, 1, "transactions")).toBe(1);
  expect(valueOf(sets, 100, "transactions")).toBe(1);
  expect(valueOf(sets, 1, "roundTrips")).toBe(0);
});

test.skipIf(traceRefusal() !== null)(
  "SQLite syncs once a commit under FULL, as strace shows",
  async () => {
    const sets = await count("sqlite", "power");
    expect(valueOf(sets, 1, "syncs")).toBeGreaterThanOrEqual(1);
    expect(valueOf(sets, 1, "syncs")).toBeLessThan(1.2);
    expect(valueOf(await count("sqlite", "process"), 1, "syncs")).toBeLessThan(0.1);
  },
);
