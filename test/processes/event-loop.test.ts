// Goal: a caller that appends in a loop does not stop everything else in its process. Appends that need
// no waiting settle in microtasks, and microtasks alone never let a timer, a socket or a signal through.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import type { Checkpointer } from "../../src/index.ts";
import { eventOf, openPlace, type TestEvent } from "./script.ts";
import { makeTempDir, removeTempDir } from "./store-state.ts";

let root: string;
beforeAll(() => void (root = makeTempDir()));
afterAll(() => removeTempDir(root));

async function openOne(kind: string): Promise<Checkpointer<TestEvent>> {
  const [adapter, durability] = kind.split(" ");
  if (adapter === "memory") return memoryCheckpointer<TestEvent>();
  const at = join(root, kind.replace(" ", "-"));
  return openPlace({
    adapter: adapter === "file" ? "file" : "sqlite",
    at,
    durability: durability === "power" ? "power" : "process",
  });
}

test.each(["memory", "file power", "file process", "sqlite power", "sqlite process"])(
  "append() in a loop on %s lets timers fire",
  async (kind) => {
    const checkpointer = await openOne(kind);
    await checkpointer.append("s", [eventOf("first")]);
    const started = performance.now();
    let fired = false;
    setTimeout(() => void (fired = true), 10);
    let appends = 0;
    while (!fired && performance.now() - started < 2_000) {
      await checkpointer.append("s", [eventOf("next")]);
      appends += 1;
    }
    expect(fired, `a timer of 10 ms did not fire during ${appends} appends in 2 s`).toBe(true);
    await checkpointer.close();
  },
);
