import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Detail } from "../bench-report.ts";
import { latencyHistogram, latencyOf } from "../latency-of.ts";
import type { LatencyContext, LatencyKind } from "../latency-work.ts";
import { recordInto } from "../measure-blocks.ts";
import { startBenchProcess } from "../processes/start-bench-process.ts";
import { batchAt, fillSession, timed } from "../session-work.ts";
import type { RecordableHistogram } from "node:perf_hooks";

/** W15: whether those who look hinder those who write. */
export const readerBesideWriter: LatencyKind = {
  id: "W15",
  workload: "W15",
  title: () => "append while another process reads",
  per: "append",
  refusal: ({ concurrency }, { processModule }) => {
    if (concurrency === "instance" || concurrency === "process") {
      return "more than one process is not claimed";
    }
    return processModule === undefined ? "the fixture has no processModule" : null;
  },
  async measure(context) {
    const { open, events, sizes, fixture } = context;
    const handle = await open();
    await fillSession(handle, "read", events, sizes.session);
    const alone = latencyHistogram();
    await appendFor(context, alone);
    const child = await startBenchProcess(fixture, events);
    const beside = latencyHistogram();
    let reads: number;
    try {
      await child.ask({ do: "read", sessionId: "read" });
      await appendFor(context, beside);
      reads = Number(await child.ask({ do: "stop" }));
    } finally {
      await child.end();
    }
    return {
      latencies: [
        latencyOf(alone, { name: "alone", from: "call", rate: null }),
        latencyOf(beside, { name: "beside a reader", from: "call", rate: null }),
      ],
      details: [
        { name: "p99 beside / alone", value: p99(beside) / p99(alone), unit: "ratio" },
        { name: "sessions read meanwhile", value: reads, unit: "reads" },
        ...(await logOf(fixture.directory)),
      ],
    };
  },
};

const p99 = (histogram: RecordableHistogram): number => histogram.percentile(99);

async function appendFor(
  { open, events, milliseconds, signal }: LatencyContext,
  histogram: RecordableHistogram,
): Promise<void> {
  const handle = await open();
  const record = recordInto(histogram);
  const begin = performance.now();
  for (let place = 0; performance.now() - begin < milliseconds; place += 1) {
    signal.throwIfAborted();
    await timed(record, () => handle.append("written", batchAt(events, place, 1)));
  }
}

/** The write-ahead log, which a reader may keep from being emptied, where there is one. */
async function logOf(directory: string | undefined): Promise<readonly Detail[]> {
  if (directory === undefined) return [];
  const names = (await readdir(directory)).filter((name) => name.endsWith("-wal"));
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(directory, name))).size),
  );
  return sizes.map((size) => ({ name: "write-ahead log", value: size / 2 ** 20, unit: "MiB" }));
}
