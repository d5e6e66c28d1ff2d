// One phase of gigabyte.ts, in a process of its own.
//
// Usage: node --max-old-space-size=256 gigabyte-child.js <file|sqlite> <write|read> <path>

import { fileCheckpointer } from "../../adapters/file/index.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import type { Checkpointer } from "../../src/index.ts";
import { agentEvents } from "./agent-events.ts";
import type { GigabyteFigures } from "./gigabyte.ts";

const eventLength = 8 * 1024;
const batchEvents = 500;
const batches = 260;
const total = batches * batchEvents;

const [, , adapter, phase, path = ""] = process.argv;

async function write(store: Checkpointer, onEvents: (count: number) => void): Promise<void> {
  const events = agentEvents(batchEvents, eventLength);
  for (let batch = 0; batch < batches; batch += 1) {
    await store.append("s", events);
    onEvents(batchEvents);
  }
}

async function read(store: Checkpointer, onEvents: (count: number) => void): Promise<void> {
  let seq = 0;
  for await (const stored of store.read("s")) {
    seq += 1;
    if (stored.seq !== seq) throw new Error(`Wanted seq ${seq}, met ${stored.seq}`);
    onEvents(1);
  }
  if (seq !== total) throw new Error(`Read ${seq} of ${total} events`);
}

async function main(): Promise<GigabyteFigures> {
  const store =
    adapter === "file"
      ? fileCheckpointer({ dir: path })
      : sqliteCheckpointer({ file: `${path}.db` });
  const quarters = [0, 0, 0, 0];
  let done = 0;
  const look = (): void => {
    const quarter = Math.min(3, Math.floor((done * 4) / total));
    quarters[quarter] = Math.max(quarters[quarter] ?? 0, process.memoryUsage.rss());
  };
  const onEvents = (count: number): void => {
    done += count;
    if (done % batchEvents === 0) look();
  };
  const begin = performance.now();
  await (phase === "write" ? write : read)(store, onEvents);
  const seconds = (performance.now() - begin) / 1_000;
  await store.close();
  const mebibytes = quarters.map((bytes) => bytes / 2 ** 20);
  const sample = agentEvents(batchEvents, eventLength);
  const megabytes = (batches * JSON.stringify(sample).length) / 1e6;
  return {
    events: done,
    megabytes,
    seconds,
    firstQuarterMiB: mebibytes[0] ?? 0,
    lastQuarterMiB: mebibytes[3] ?? 0,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
}

console.log(JSON.stringify(await main()));
