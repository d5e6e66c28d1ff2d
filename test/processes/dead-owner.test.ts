// Goal: an owner that died, or that cannot run, holds nobody up for longer than the stale limit; one
// that lives is waited for, up to the busy timeout, without blocking the event loop.

import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileCheckpointer, fileStore } from "../../adapters/file/index.ts";
import { reapChildren, runChildNow, startChild } from "./children.ts";
import { readLedger } from "./ledger.ts";
import type { Endless } from "./append-forever.ts";
import type { Script, ScriptNote } from "./run-script.ts";
import { eventOf, openPlace, staleMs, type Place, type TestEvent } from "./script.ts";
import { idsOf, leftovers, makeTempDir, removeTempDir, stateOf } from "./store-state.ts";

let root: string;
let place: Place;

beforeEach(() => {
  root = makeTempDir();
  place = { adapter: "file", at: join(root, "files") };
});

afterEach(() => {
  reapChildren();
  removeTempDir(root);
});

test("a killed owner is replaced once its lock is stale", async () => {
  const ledger = join(root, "ledger");
  const order: Endless = { place, session: "s", ledger, run: 1 };
  const owner = startChild("append-forever", order);
  await owner.message();
  while (readLedger(ledger).length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  owner.kill("SIGKILL");
  await owner.exit;
  expect(leftovers(place.at)).toEqual(expect.arrayContaining(["s.lock", "s.owner"]));

  const next = await openPlace(place);
  const started = performance.now();
  const before = await next.head("s");
  expect(await next.append("s", [eventOf("next")])).toBeGreaterThanOrEqual(before + 1);
  const waited = Math.round(performance.now() - started);
  console.log(`dead owner: replaced after ${waited} ms, stale limit ${staleMs} ms`);
  await stateOf(next);
  await next.close();
  expect(leftovers(place.at)).toEqual([]);
});

test("a waiting writer gets BUSY from an owner that lives, and nothing changes", async () => {
  const store = fileStore({ dir: place.at });
  const waiter = await openPlace({ ...place, busyTimeoutMs: 200 });
  await waiter.append("s", [eventOf("a")]);
  let turns = 0;
  const count = setInterval(() => void (turns += 1), 1);
  await store.exclusively?.("s", async () => {
    const attempt = waiter.append("s", [eventOf("b")]);
    await expect(attempt).rejects.toMatchObject({ code: "BUSY", retryable: true });
    // Readers and other sessions do not wait.
    expect(await idsOf(waiter, "s")).toEqual(["a"]);
    expect(await waiter.append("other", [eventOf("o")])).toBe(1);
  });
  clearInterval(count);
  expect(turns, "the event loop went on").toBeGreaterThan(10);
  expect(await waiter.append("s", [eventOf("c")])).toBe(2);
  await waiter.close();
  await store.close();
  expect(leftovers(place.at)).toEqual([]);
});

test("an owner whose event loop was blocked past the stale limit loses nothing", async () => {
  const owner = fileCheckpointer<TestEvent>({
    dir: place.at,
    lockStaleMs: staleMs,
    lockLingerMs: 60_000,
  });
  await owner.append("s", [eventOf("a")]);
  const blockedSince = performance.now();
  const ledger = join(root, "ledger");
  const steps = [{ do: "append", session: "s", ids: ["r1", "r2"] }] as const;
  // Nothing of this process runs until the rival has waited for the lock to go stale.
  runChildNow("run-script", { place, ledger, steps, faults: [] } satisfies Script);
  const left = 3 * staleMs - (performance.now() - blockedSince);
  if (left > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, left);
  expect(readLedger<ScriptNote>(ledger)[0]).toEqual({ step: 0, result: 3 });

  expect(await owner.append("s", [eventOf("b")])).toBe(4);
  expect(await stateOf(owner)).toEqual({ s: ["a", "r1", "r2", "b"] });
  await owner.close();
  expect(leftovers(place.at)).toEqual([]);
});
