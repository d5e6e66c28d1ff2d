import { expect, test } from "vitest";
import { runOpenLoop } from "./open-loop.ts";
import { seededRandom } from "./seeded-random.ts";

const { signal } = new AbortController();

test("a stall counts for every call that was planned while it lasted", async () => {
  const latencies: number[] = [];
  let queue = Promise.resolve();
  // A server that does one thing at a time, and stands still for 200 ms at its tenth call.
  const call = (number: number): Promise<void> => {
    queue = queue.then(async () => {
      if (number === 10) await new Promise((resolve) => setTimeout(resolve, 200));
    });
    return queue;
  };
  const onLatency = (milliseconds: number): void => void latencies.push(milliseconds);
  const random = seededRandom(1);
  const options = { rate: 500, milliseconds: 500, random, signal, call, onLatency };
  const calls = await runOpenLoop(options);
  expect(latencies).toHaveLength(calls);
  // About 100 of 250 calls fall into the stall. A loop that waits for each call has one slow call.
  expect(latencies.filter((milliseconds) => milliseconds > 20).length).toBeGreaterThan(50);
});

test("calls begin while others run", async () => {
  let running = 0;
  let most = 0;
  const call = async (): Promise<void> => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    running -= 1;
  };
  const random = seededRandom(2);
  const options = {
    rate: 400,
    milliseconds: 200,
    random,
    signal,
    call,
    onLatency: () => undefined,
  };
  await runOpenLoop(options);
  expect(most).toBeGreaterThan(3);
});

test("the first failure ends the loop, once what runs has ended", async () => {
  const failure = new Error("disk full");
  const call = async (number: number): Promise<void> => {
    if (number === 3) throw failure;
  };
  const random = seededRandom(3);
  const options = { rate: 1_000, milliseconds: 60_000, random, signal, call };
  await expect(runOpenLoop({ ...options, onLatency: () => undefined })).rejects.toBe(failure);
});
