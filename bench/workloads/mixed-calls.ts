import { latencyHistogram, latencyOf } from "../latency-of.ts";
import type { LatencyKind } from "../latency-work.ts";
import { recordInto } from "../measure-blocks.ts";
import { runOpenLoop } from "../open-loop.ts";
import { batchAt, fillSession, readSession } from "../session-work.ts";
import { seededRandom } from "../seeded-random.ts";
import { capacityOf } from "./open-loop-appends.ts";
import { fillStore } from "./list.ts";
import { lastEvents } from "./read.ts";

const kinds = ["append", "resume", "list"] as const;
type CallKind = (typeof kinds)[number];

/** Of the calls; the rest are lists. */
const appendShare = 0.8;
const resumeShare = 0.15;
/** Of what the store can do of this mix. */
const load = 0.5;
const writtenSessions = 16;

/** W13: what a server of agents does all day. */
export const mixedCalls: LatencyKind = {
  id: "W13",
  workload: "W13",
  title: () => "80 % appends, 15 % resumes, 5 % lists, open loop at 50 % of capacity",
  per: "call",
  async measure(context) {
    const { open, events, sizes, milliseconds, random, signal } = context;
    const handle = await open();
    await fillSession(handle, "resume", events, Math.min(1_000, sizes.session));
    await fillStore(handle, events, Math.min(200, sizes.sessions));
    const head = await handle.head("resume");
    const chosen = seededRandom(3);
    const order = Array.from({ length: 4_096 }, () => kindOf(chosen()));
    const kindAt = (number: number): CallKind => order[number % order.length] ?? "append";
    const call = (number: number): Promise<unknown> => {
      switch (kindAt(number)) {
        case "append":
          return handle.append(`written-${number % writtenSessions}`, batchAt(events, number, 1));
        case "resume":
          return readSession(handle, "resume", head - lastEvents, lastEvents);
        case "list":
          return handle.list();
      }
    };
    const capacity = await capacityOf(call, context);
    const rate = capacity * load;
    const histograms = new Map(kinds.map((kind) => [kind, latencyHistogram()]));
    const recorders = new Map(
      [...histograms].map(([kind, histogram]) => [kind, recordInto(histogram)]),
    );
    const onLatency = (took: number, number: number): void => recorders.get(kindAt(number))?.(took);
    await runOpenLoop({ rate, milliseconds, random, signal, call, onLatency });
    return {
      latencies: [...histograms]
        .filter(([, { count }]) => count > 0)
        .map(([name, histogram]) => latencyOf(histogram, { name, from: "intended", rate })),
      details: [{ name: "capacity", value: capacity, unit: "calls/s" }],
    };
  },
};

function kindOf(share: number): CallKind {
  if (share < appendShare) return "append";
  return share < appendShare + resumeShare ? "resume" : "list";
}
