import { describe, expect, test } from "vitest";
import {
  createAppendQueue,
  type AppendQueue,
  type CommitGroup,
  type PendingAppend,
} from "./append-queue.ts";
import { limits } from "./limits.ts";

/** A queue whose commits wait until the test lets them go, and the groups they were given. */
function createGated(): { queue: AppendQueue; groups: PendingAppend[][]; letGo: () => void } {
  const groups: PendingAppend[][] = [];
  const gates: Array<() => void> = [];
  const commitGroup: CommitGroup = (_sessionId, group, onSettled) => {
    groups.push(group);
    gates.push(() => {
      for (const append of group) append.resolve(groups.length);
      onSettled();
    });
  };
  const queue = createAppendQueue(commitGroup, () => undefined);
  return { queue, groups, letGo: () => gates.shift()?.() };
}

/** An append, and its result: the number of the commit that it was part of. */
function pending(
  queue: AppendQueue,
  fields: Partial<PendingAppend> = {},
  sessionId = "session",
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    queue.append(sessionId, {
      texts: ["{}"],
      size: 2,
      expected: null,
      expectedHead: 0,
      key: undefined,
      started: false,
      cancelled: false,
      resolve,
      reject,
      ...fields,
    });
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Lets commits go, one after the other, until nothing is left. */
async function finish({ queue, letGo }: ReturnType<typeof createGated>): Promise<void> {
  let idle = false;
  void queue.idle().then(() => (idle = true));
  while (!idle) {
    letGo();
    await turn();
  }
}

function sizes(groups: readonly PendingAppend[][]): number[] {
  return groups.map((group) => group.length);
}

describe("append()", () => {
  test("starts at once, synchronously, when nothing runs", () => {
    const { queue, groups } = createGated();
    void pending(queue);
    expect(sizes(groups)).toEqual([1]);
  });

  test("merges everything that waits behind a running commit into one", async () => {
    const gated = createGated();
    const appends = Array.from({ length: 50 }, () => pending(gated.queue));
    expect(sizes(gated.groups)).toEqual([1]);
    await finish(gated);
    expect(sizes(gated.groups)).toEqual([1, 49]);
    expect(await Promise.all(appends)).toEqual([1, ...Array<number>(49).fill(2)]);
  });

  test("waits one tick under load, so that writers in a loop share the next commit", async () => {
    const gated = createGated();
    const loop = async () => {
      for (let round = 0; round < 3; round += 1) await pending(gated.queue);
    };
    const loops = Promise.all([pending(gated.queue), loop(), loop(), loop(), loop()]);
    await finish(gated);
    await loops;
    expect(sizes(gated.groups)).toEqual([1, 4, 4, 4]);
  });

  test("lets a writer in a loop come back after a single append, if others wait", async () => {
    const gated = createGated();
    const append = async () => void (await pending(gated.queue));
    const loop = async () => {
      for (let round = 0; round < 3; round += 1) await append();
    };
    const loops = Promise.all([loop(), loop()]);
    await finish(gated);
    await loops;
    expect(sizes(gated.groups)).toEqual([1, 2, 2, 1]);
  });

  test("does not wait a tick after an append that was alone", async () => {
    const gated = createGated();
    const first = pending(gated.queue).then(() => pending(gated.queue));
    gated.letGo();
    await Promise.resolve();
    for (let step = 0; step < 20 && gated.groups.length < 2; step += 1) await Promise.resolve();
    expect(sizes(gated.groups)).toEqual([1, 1]);
    gated.letGo();
    await first;
  });

  test("keeps sessions apart", async () => {
    const gated = createGated();
    for (const sessionId of ["a", "b", "a", "b"]) void pending(gated.queue, {}, sessionId);
    expect(sizes(gated.groups)).toEqual([1, 1]);
    await finish(gated);
    expect(sizes(gated.groups)).toEqual([1, 1, 1, 1]);
  });

  test("keeps a commit from holding one key twice, or an expectation beside a key", async () => {
    const gated = createGated();
    const base = { seq: 1 };
    const waiting = [
      {},
      { key: "a" },
      { key: "b" },
      {},
      { key: "a" },
      { key: "c", expected: base },
      { expected: base },
      { key: "d" },
      { key: "e", expected: base },
      { key: "f", expected: base },
    ];
    void pending(gated.queue);
    for (const fields of waiting) void pending(gated.queue, fields);
    await finish(gated);
    const keys = gated.groups.map((group) => group.map(({ key }) => key ?? "-").join(""));
    expect(keys).toEqual(["-", "-ab-", "a", "c", "-d", "e", "f"]);
  });

  test("ends a commit at the limits of events and characters, but takes at least one", async () => {
    const gated = createGated();
    const texts = Array.from({ length: limits.mergeMaxEvents - 1 }, () => "{}");
    const big = { size: limits.mergeMaxBytes + 1 };
    void pending(gated.queue);
    for (const fields of [{ texts }, {}, {}, big, big, {}]) void pending(gated.queue, fields);
    await finish(gated);
    expect(sizes(gated.groups)).toEqual([1, 2, 1, 1, 1, 1]);
  });
});

describe("inOrder()", () => {
  test("runs work between the appends before and behind it", async () => {
    const gated = createGated();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const appends = [pending(gated.queue), pending(gated.queue)];
    const work = gated.queue.inOrder("session", async () => {
      expect(sizes(gated.groups)).toEqual([1, 1]);
      await turn();
      expect(sizes(gated.groups)).toEqual([1, 1]);
      return "result";
    });
    appends.push(pending(gated.queue), pending(gated.queue));
    const all = Promise.all([
      ...appends.map((append, index) => append.then(note(`append ${index}`))),
      work.then(note("work")),
    ]);
    await finish(gated);
    await all;
    expect(await work).toBe("result");
    expect(order).toEqual(["append 0", "append 1", "work", "append 2", "append 3"]);
    expect(sizes(gated.groups)).toEqual([1, 1, 2]);
  });

  test("passes a failure on and goes on with what comes behind", async () => {
    const gated = createGated();
    const failing = gated.queue.inOrder("session", () => Promise.reject(new Error("no")));
    const append = pending(gated.queue);
    await expect(failing).rejects.toThrow("no");
    await finish(gated);
    expect(await append).toBe(1);
  });
});

describe("idle()", () => {
  test("resolves at once when nothing waits, and otherwise after the last change", async () => {
    const gated = createGated();
    await gated.queue.idle();
    let idle = 0;
    void pending(gated.queue);
    void pending(gated.queue, {}, "other");
    const waits = [gated.queue.idle(), gated.queue.idle()].map((wait) => wait.then(() => idle++));
    gated.letGo();
    await turn();
    expect(idle).toBe(0);
    gated.letGo();
    await Promise.all(waits);
    expect(idle).toBe(2);
  });
});
