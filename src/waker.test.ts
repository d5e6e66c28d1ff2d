import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createWaker } from "./waker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether a promise resolves without any time going by. */
async function resolves(promise: Promise<void>): Promise<boolean> {
  let resolved = false;
  void promise.then(() => (resolved = true));
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
  return resolved;
}

test("wait() lasts until wake()", async () => {
  const waker = createWaker();
  const wait = waker.wait(250, undefined);
  expect(await resolves(wait)).toBe(false);
  waker.wake();
  expect(await resolves(wait)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("wait() returns at once after a wake() that came before it, and only once", async () => {
  const waker = createWaker();
  waker.wake();
  waker.wake();
  expect(await resolves(waker.wait(250, undefined))).toBe(true);
  expect(await resolves(waker.wait(250, undefined))).toBe(false);
});

test("wait() lasts no longer than it may", async () => {
  const waker = createWaker();
  const wait = waker.wait(250, undefined);
  await vi.advanceTimersByTimeAsync(249);
  expect(await resolves(wait)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await resolves(wait)).toBe(true);
});

test("wait() ends with an abort, without rejecting, and lets go of the signal", async () => {
  const waker = createWaker();
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, "removeEventListener");
  const aborter = new AbortController();
  const wait = waker.wait(250, aborter.signal);
  aborter.abort();
  expect(await resolves(wait)).toBe(true);
  expect(await resolves(waker.wait(250, aborter.signal))).toBe(true);
  const woken = waker.wait(250, signal);
  waker.wake();
  await woken;
  expect(remove).toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("wait() holds a timer that keeps no process alive", () => {
  vi.useRealTimers();
  const unref = vi.fn();
  const spy = vi.spyOn(globalThis, "setTimeout");
  spy.mockReturnValue({ unref } as unknown as NodeJS.Timeout);
  void createWaker().wait(250, undefined);
  spy.mockRestore();
  expect(unref).toHaveBeenCalledOnce();
});
