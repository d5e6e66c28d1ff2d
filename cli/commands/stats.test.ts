import { describe, expect, it } from "vitest";
import { CorruptLogError } from "../../src/index.ts";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { boundRun, sharedMemory } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);
await store.append("a", [{ type: "user", content: "é" }, { type: "user" }, { n: 1 }]);
await store.append("b", [{ type: "\u001b[2J", text: "x".repeat(2000) }]);

describe("ckpt stats", () => {
  it("counts sessions, events and bytes of JSON by type", async () => {
    const { code, out } = await ckpt(["stats", "--json"]);
    expect(code).toBe(0);
    const { firstTime, lastTime, ...rest } = JSON.parse(out) as Record<string, unknown>;
    expect([firstTime, lastTime].map(String).sort()).toEqual([firstTime, lastTime]);
    const large = Buffer.byteLength('{"type":"\\u001b[2J","text":""}') + 2000;
    const user = Buffer.byteLength('{"type":"user","content":"é"}{"type":"user"}');
    expect(rest).toEqual({
      sessions: 2,
      events: 4,
      bytes: large + user + 7,
      types: [
        { type: "\u001b[2J", events: 1, bytes: large },
        { type: "user", events: 2, bytes: user },
        { type: null, events: 1, bytes: 7 },
      ],
      largest: { sessionId: "b", seq: 1, bytes: large },
      damaged: 0,
    });
  });

  it("prints the same for people", async () => {
    const { out } = await ckpt(["stats"]);
    const [totals, times, largest, ...types] = out.trimEnd().split("\n");
    expect(totals).toBe("2 sessions, 4 events, 2.1 kB of JSON");
    expect(times).toMatch(/^from \d{4}-.*Z to \d{4}-.*Z$/);
    expect(largest).toBe("largest event: 2.0 kB, seq 1 of b");
    expect(types.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["1", "2.0 kB", "\\u001b[2J"],
      ["2", "45 B", "user"],
      ["1", "7 B", "(other)"],
    ]);
  });

  it("counts one session", async () => {
    const { out } = await ckpt(["stats", "a"]);
    expect(out).toContain("1 session, 3 events");
    expect(await ckpt(["stats", "nope"])).toMatchObject({ code: exitCodes.failed });
  });

  it("keeps its memory when every event has its own type", async () => {
    await store.append(
      "c",
      Array.from({ length: 1500 }, (_, n) => ({ type: `t${n}` })),
    );
    const { out } = await ckpt(["stats", "c", "--json"]);
    const { types } = JSON.parse(out) as { types: { type: string | null; events: number }[] };
    expect(types).toHaveLength(1001);
    expect(types.find(({ type }) => type === null)?.events).toBe(500);
    await store.delete("c");
  });

  it("goes on after a damaged session and exits with 4", async () => {
    const damaged: Store = {
      ...store,
      close: async () => undefined,
      async *read(sessionId, options) {
        if (sessionId === "b") throw new CorruptLogError(sessionId, 1, null, "checksum");
        yield* store.read(sessionId, options);
      },
    };
    const memory = { ...schemes["memory"]!, open: async () => damaged };
    const { code, out, errors } = await boundRun({ ...schemes, memory })(["stats"]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toContain("2 sessions, 3 events");
    expect(errors).toBe("ckpt: 1 session could not be read to the end (CORRUPT_LOG)\n");
  });
});
