// One step of restore.ts, in a process of its own.
//
// Usage: node restore-child.js <file|sqlite> <fill|resume|checkpoints|restore> <path>

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import { createLiteAgent } from "../../agent/index.ts";
import type { SessionEvent } from "../../src/index.ts";
import { agentEvents } from "./agent-events.ts";
import type { RestoreFigures } from "./restore.ts";

const files = 1_000;
const total = 100_000;
/** Where the files are changed: half of the session is before it, and half behind. */
const middle = total / 2;

const [, , adapter, step, path = ""] = process.argv;
const workdir = join(path, "work");
mkdirSync(workdir, { recursive: true });
const store =
  adapter === "file"
    ? fileCheckpointer({ dir: join(path, "store") })
    : sqliteCheckpointer({ file: join(path, "sessions.db") });

const nameOf = (index: number): string => `file-${index}.ts`;
const textOf = (index: number, version: string): string =>
  `${version} ${index}\n${"const line = 'of a source file';\n".repeat(124)}`;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What a turn leaves that changes every file: three events a file. */
function change(index: number): SessionEvent[] {
  const callId = `change-${index}`;
  const before = textOf(index, "old");
  const after = textOf(index, "new");
  writeFileSync(join(workdir, nameOf(index)), after, { mode: 0o644 });
  return [
    { type: "tool_started", callId, name: "write_file", input: { path: nameOf(index) } },
    {
      type: "file_snapshot",
      path: nameOf(index),
      before: { state: "text", text: before, mode: 0o644, hash: sha256(before) },
      afterHash: sha256(after),
      callId,
    },
    { type: "tool_result", callId, output: "Done" },
  ];
}

/** Events of which each call has its result, as those of a session that went well. */
function eventsOfTurns(count: number): SessionEvent[] {
  const events = agentEvents(count);
  return events.map((event, index) => {
    const before = events[index - 1];
    const isResult = event.type === "tool_result" && before?.type === "tool_started";
    return isResult ? { ...event, callId: before.callId } : event;
  });
}

async function fill(count: number): Promise<void> {
  const events = eventsOfTurns(1_000);
  for (let left = count; left > 0; left -= events.length) {
    await store.append("s", events.slice(0, left));
  }
}

async function fillSession(): Promise<void> {
  await fill(middle);
  await store.append("s", [{ type: "user", content: "Change every file.", origin: "input" }]);
  for (let index = 0; index < files; index += 1) await store.append("s", change(index));
  await fill(total - (await store.head("s")));
}

/** Runs a step and prints what it took. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  let heap = 0;
  const watch = (): void => void (heap = Math.max(heap, process.memoryUsage().heapUsed));
  const look = setInterval(watch, 50);
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  await work();
  watch();
  const seconds = (performance.now() - begin) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(look);
  const peakMiB = process.resourceUsage().maxRSS / 1_024;
  const figures: RestoreFigures = {
    step: what,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakMiB,
    heapMiB: heap / 2 ** 20,
  };
  console.log(JSON.stringify(figures));
}

const agent = createLiteAgent({
  model: { id: "none", stream: () => Promise.reject(new Error("Nobody asks")) as never },
  modelName: "none",
  workdir,
  checkpointer: store,
});

switch (step) {
  case "fill":
    await fillSession();
    break;
  case "resume":
    // What the layer adds to reading: the events are told apart, and the conversation is kept.
    await measure("read alone", async () => {
      for await (const _stored of store.read("s")) continue;
    });
    await measure("resume", () => agent.resume("s"));
    break;
  case "checkpoints":
    await measure("listCheckpoints", () => agent.listCheckpoints("s"));
    break;
  default: {
    let seq = 0;
    for await (const { seq: at, event } of store.read("s", { sinceSeq: middle, limit: 1 })) {
      if (event.type === "user") seq = at;
    }
    await measure("restore of 1,000 files", () => agent.restore("s", seq));
    for (let index = 0; index < files; index += 1) {
      const text = readFileSync(join(workdir, nameOf(index)), "utf8");
      if (text !== textOf(index, "old")) throw new Error(`${nameOf(index)} was not restored`);
    }
  }
}
await agent.close();
await store.close();
