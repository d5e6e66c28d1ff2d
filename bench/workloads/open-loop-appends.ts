import { latencyHistogram, latencyOf } from "../latency-of.ts";
import type { LatencyContext, LatencyKind } from "../latency-work.ts";
import { recordInto } from "../measure-blocks.ts";
import { runOpenLoop } from "../open-loop.ts";
import { batchAt } from "../session-work.ts";
import type { Latency } from "../bench-report.ts";

/** Shares of what the store can do at most. */
const shares = [0.5, 0.8];
const sessionId = "open-loop";

/** W12: appends that come when they come. */
export const openLoopAppends: LatencyKind = {
  id: "W12",
  workload: "W12",
  title: () => "append 1, open loop at 50 % and 80 % of capacity",
  per: "append",
  async measure(context) {
    const { open, events, milliseconds, random, signal } = context;
    const handle = await open();
    const append = (number: number): Promise<unknown> =>
      handle.append(sessionId, batchAt(events, number, 1));
    const capacity = await capacityOf(append, context);
    const latencies: Latency[] = [];
    for (const share of shares) {
      const histogram = latencyHistogram();
      const rate = capacity * share;
      const onLatency = recordInto(histogram);
      await runOpenLoop({ rate, milliseconds, random, signal, call: append, onLatency });
      await handle.delete(sessionId);
      const name = `${share * 100} % of capacity`;
      latencies.push(latencyOf(histogram, { name, from: "intended", rate }));
    }
    return { latencies, details: [{ name: "capacity", value: capacity, unit: "appends/s" }] };
  },
};

/** Calls a second when each waits for the one before it. */
export async function capacityOf(
  call: (number: number) => Promise<unknown>,
  { milliseconds, signal }: LatencyContext,
): Promise<number> {
  // The first calls open files and warm code up.
  for (let number = 0; number < 20; number += 1) await call(number);
  const begin = performance.now();
  let calls = 0;
  let took = 0;
  while (took < milliseconds / 2) {
    signal.throwIfAborted();
    await call(calls);
    calls += 1;
    took = performance.now() - begin;
  }
  return (calls * 1_000) / took;
}
