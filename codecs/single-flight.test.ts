import { expect, test } from "vitest";
import { createSingleFlight } from "./single-flight.ts";

const none = new Error("there is none");
const broken = new Error("broken");
const fly = createSingleFlight<number>((error) => error === none);

/** Work that is done when the test says so. */
function pending() {
  const runs: Array<{ resolve(value: number): void; reject(error: unknown): void }> = [];
  const work = (): Promise<number> =>
    new Promise((resolve, reject) => void runs.push({ resolve, reject }));
  return { runs, work, begun: (count: number) => expect.poll(() => runs.length).toBe(count) };
}

test("callers at the same time share one run, and later ones get another", async () => {
  const { runs, work, begun } = pending();
  const calls = [fly("a", work), fly("a", work), fly("a", work)];
  await begun(1);
  runs[0]!.resolve(7);
  expect(await Promise.all(calls)).toEqual([7, 7, 7]);
  const later = fly("a", work);
  await begun(2);
  runs[1]!.resolve(8);
  expect(await later).toBe(8);
});

test("other slots run at the same time", async () => {
  const { runs, work, begun } = pending();
  const calls = [fly("a", work), fly("b", work)];
  await begun(2);
  runs[1]!.resolve(2);
  expect(await calls[1]).toBe(2);
  runs[0]!.resolve(1);
  expect(await calls[0]).toBe(1);
});

test("a failure is shared and not remembered", async () => {
  const { runs, work, begun } = pending();
  const calls = [fly("a", work), fly("a", work)];
  await begun(1);
  runs[0]!.reject(broken);
  expect(await Promise.allSettled(calls)).toMatchObject([{ reason: broken }, { reason: broken }]);
  const later = fly("a", work);
  await begun(2);
  runs[1]!.resolve(1);
  expect(await later).toBe(1);
});

test("whoever joined a run that found nothing asks once more, together", async () => {
  const { runs, work, begun } = pending();
  const first = fly("a", work).catch((error: unknown) => error);
  const joined = [fly("a", work), fly("a", work), fly("a", work)];
  await begun(1);
  runs[0]!.reject(none);
  expect(await first).toBe(none);
  await begun(2);
  runs[1]!.resolve(5);
  expect(await Promise.all(joined)).toEqual([5, 5, 5]);
  expect(runs).toHaveLength(2);
});

test("a second run that finds nothing is believed", async () => {
  const { runs, work, begun } = pending();
  const settled = Promise.allSettled([fly("a", work), fly("a", work)]);
  await begun(1);
  runs[0]!.reject(none);
  await begun(2);
  runs[1]!.reject(none);
  expect(await settled).toMatchObject([{ reason: none }, { reason: none }]);
  expect(runs).toHaveLength(2);
});

test("work that throws at once is a rejection", async () => {
  const thrown = fly("a", () => {
    throw broken;
  });
  await expect(thrown).rejects.toBe(broken);
});
