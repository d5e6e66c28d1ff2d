import { describe, expect, it } from "vitest";
import type { VerifyReport } from "../../src/index.ts";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
await store.append("good", [{ n: 1 }, { n: 2 }]);
await store.append("bad\u001b", [{ n: 1 }]);

const finding = { code: "CORRUPT_LOG", seq: 1, offset: 7, message: "checksum\u009b" } as const;
const torn = { code: "TORN_TAIL", seq: null, offset: 9, message: "unfinished batch" } as const;

/** A store in which one session is damaged and another has a torn tail. */
function damagedStore(): BoundRun {
  const damaged: Store = {
    ...store,
    close: async () => undefined,
    async *verify(sessionId) {
      for await (const report of store.verify(sessionId)) yield withFindings(report);
    },
  };
  return boundRun({ ...schemes, memory: { ...schemes["memory"]!, open: async () => damaged } });
}

function withFindings(report: VerifyReport): VerifyReport {
  if (report.sessionId === "good") return { ...report, findings: [torn] };
  return { ...report, ok: false, records: 0, findings: [finding] };
}

describe("ckpt verify", () => {
  it("prints a line for every session and exits with 0 when all is well", async () => {
    const { code, out, errors } = await boundRun(schemes)(["verify"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toBe('ok        "bad\\u001b": 1 record\nok        good: 2 records\n');
  });

  it("exits with 4 when a session is damaged, after checking all", async () => {
    const { code, out, errors } = await damagedStore()(["verify"]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toBe(
      'damaged   "bad\\u001b": 0 records; seq 1: CORRUPT_LOG: checksum\\u009b\n' +
        "ok        good: 2 records; TORN_TAIL: unfinished batch\n",
    );
    expect(errors).toBe("ckpt: 1 of 2 sessions damaged\n");
  });

  it("checks one session", async () => {
    expect(await damagedStore()(["verify", "good"])).toMatchObject({ code: 0 });
    expect(await damagedStore()(["verify", "nope"])).toMatchObject({ code: exitCodes.failed });
  });

  it("prints the reports with --json", async () => {
    const { out } = await damagedStore()(["verify", "good", "--json"]);
    const expected = { sessionId: "good", ok: true, records: 2, findings: [torn], verdict: "ok" };
    expect(JSON.parse(out)).toEqual(expected);
  });
});
