import { beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import { boundRun, sharedMemory, type BoundRun } from "../testing/captured-run.ts";

let store: Store;
let ckpt: BoundRun;

beforeEach(async () => {
  const shared = sharedMemory();
  store = shared.store;
  ckpt = boundRun(shared.schemes);
  await store.append(
    "s",
    Array.from({ length: 25 }, (_, index) => ({ n: index + 1 })),
  );
});

const seqs = (out: string): number[] => {
  return out
    .split("\n")
    .slice(0, -1)
    .map((line) => Number.parseInt(line, 10));
};

describe("ckpt tail", () => {
  it.each([
    [[], [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]],
    [
      ["-n", "2"],
      [24, 25],
    ],
    [["-n", "0"], []],
    [
      ["--since", "22"],
      [23, 24, 25],
    ],
    [["--since", "22", "-n", "1"], [25]],
    [["--since", "99"], []],
  ])("%j prints %j", async (options, expected) => {
    const { code, out } = await ckpt(["tail", "s", ...options]);
    expect(code).toBe(0);
    expect(seqs(out)).toEqual(expected);
  });

  it("says when there is no such session", async () => {
    const { code, errors } = await ckpt(["tail", "nope"]);
    expect({ code, errors }).toEqual({ code: exitCodes.failed, errors: "ckpt: No session nope\n" });
  });
});

describe("ckpt tail -f", () => {
  /** Follows until `until` has been printed, then interrupts. */
  async function follow(words: string[], until: string, meanwhile?: () => Promise<unknown>) {
    const controller = new AbortController();
    let started = meanwhile === undefined;
    const run = ckpt(words, {
      signal: controller.signal,
      onOutput(out) {
        if (!started) {
          started = true;
          void meanwhile?.();
        }
        if (out.includes(until)) controller.abort(new Interruption("SIGINT", 130));
      },
    });
    return run;
  }

  it("prints each new event once and ends with 130 when interrupted", async () => {
    const words = ["tail", "-f", "s", "-n", "1", "--json"];
    const run = await follow(words, '"n":28', async () => {
      for (const n of [26, 27, 28]) await store.append("s", [{ n }]);
    });
    expect(run).toMatchObject({ code: 130, errors: "" });
    const events = run.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event.n as number);
    expect(events).toEqual([25, 26, 27, 28]);
  });

  it("waits for a session that is not there yet", async () => {
    const running = follow(["tail", "-f", "later", "--json"], '"n":1');
    await store.append("later", [{ n: 1 }]);
    expect(await running).toMatchObject({ code: 130, errors: "" });
  });

  it("closes the store when it is interrupted", async () => {
    let closed = 0;
    const controller = new AbortController();
    const { schemes } = sharedMemory();
    const open = async (): Promise<Store> => ({
      ...store,
      close: async () => {
        closed += 1;
      },
    });
    const memory = { ...schemes["memory"]!, open };
    const running = boundRun({ ...schemes, memory })(["tail", "-f", "s"], {
      signal: controller.signal,
      onOutput: () => controller.abort(new Interruption("SIGINT", 130)),
    });
    expect(await running).toMatchObject({ code: 130 });
    expect(closed).toBe(1);
  });

  it("ends with 5 when the log is truncated under it", async () => {
    const words = ["tail", "-f", "s", "-n", "1"];
    const { code, errors } = await follow(words, "never", () => store.truncate("s", 3));
    expect(code).toBe(exitCodes.busy);
    expect(errors).toMatch(/^ckpt: Cannot follow session "s".*\(LOG_CHANGED\)\n$/);
  });
});
