/**
 * Goal: real transcripts of many tools go through both stores on disk and come back equal. Method:
 * one `ckpt import` of every file of the shared sample sessions into each store, with its defaults;
 * then every session is exported, and every record is compared with an independent reading of its
 * file. Files that are no JSON must be refused and leave nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { capturedRun } from "../../cli/testing/captured-run.ts";
import { countEqual, sampleFiles } from "./sample-files.ts";

const samples = sampleFiles();
const data = (samples ?? []).flatMap(({ name, path, records }) =>
  records === null ? [] : [{ name, path, records }],
);
const texts = (samples ?? []).filter(({ records }) => records === null);
const root = mkdtempSync(join(tmpdir(), "checkpointer-samples-"));

afterAll(() => rmSync(root, { recursive: true }));

describe.skipIf(samples === null).each(["file:sessions", "sqlite:sessions.db"])("%s", (kind) => {
  const [scheme = "", path = ""] = kind.split(":");
  const env = { CHECKPOINTER_STORE: `${scheme}:${join(root, path)}` };
  const sessions = new Map<string, string>();

  it("import() takes every file, and export() gives back every record equal", async () => {
    const begin = performance.now();
    const imported = await capturedRun(["--json", "import", ...data.map((one) => one.path)], {
      env,
    });
    expect(imported).toMatchObject({ code: 0, errors: "" });
    for (const line of imported.out.split("\n").slice(0, -1)) {
      const { file, session } = JSON.parse(line) as { file: string; session: string };
      sessions.set(file, session);
    }
    const counts = { in: 0, out: 0, equal: 0 };
    for (const { path: file, records } of data) {
      const session = sessions.get(file) ?? "";
      const { out, code } = await capturedRun(["export", `--session=${session}`], { env });
      expect(code).toBe(0);
      const exported = out.split("\n").slice(0, -1);
      counts.in += records.length;
      counts.out += exported.length;
      counts.equal += countEqual(
        exported.map((line): unknown => JSON.parse(line)),
        records,
      );
    }
    const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
    console.log(
      `${scheme} store: ${data.length} files, ${counts.in} records in, ${counts.equal} equal, ` +
        `${seconds} s`,
    );
    expect(counts).toEqual({ in: counts.in, out: counts.in, equal: counts.in });
    expect(sessions.size).toBe(data.length);
  });

  it("import() refuses a file that is no JSON and leaves no session of it", async () => {
    for (const { path: file } of texts) {
      const refused = await capturedRun(["import", file, "--session", "text"], { env });
      expect(refused).toMatchObject({ code: 1, out: "" });
      expect(refused.errors).toContain("not JSON");
    }
    const { out } = await capturedRun(["--json", "ls"], { env });
    expect(out.split("\n").slice(0, -1)).toHaveLength(data.length);
  });

  it("verify() finds every session in order", async () => {
    const { code, out } = await capturedRun(["--json", "verify"], { env });
    const reports = out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { ok: boolean; findings: unknown[] });
    expect(code).toBe(0);
    expect(reports).toHaveLength(data.length);
    expect(reports.filter(({ ok, findings }) => !ok || findings.length > 0)).toEqual([]);
  });
});
