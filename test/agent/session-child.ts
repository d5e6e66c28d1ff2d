// A child process that does one thing with a session and is killed at a call it makes on the way.

import { createFaultInjector } from "../../conformance/faults/fault.ts";
import type { Checkpointer } from "../../src/index.ts";
import type { RestoreOptions } from "../../agent/index.ts";
import { openLedger } from "../processes/ledger.ts";
import { modelOf, openStore, turns, workdirIn, type StorePlace } from "./scene.ts";

/** What a child does. */
export type Task =
  | { readonly do: "restore"; readonly seq: number; readonly options: RestoreOptions }
  | { readonly do: "resume" }
  | { readonly do: "turn"; readonly turn: number }
  | { readonly do: "compact" };

/** Where a child is killed: at a changing call into the file system, or of the checkpointer, from 1. */
export interface Kill {
  readonly what: "file" | "store";
  readonly at: number;
  readonly act: "kill" | "kill-after" | "kill-torn";
}

/** What the child is told. */
export interface ChildOrder {
  readonly directory: string;
  readonly ledger: string;
  readonly place: StorePlace;
  readonly sessionId: string;
  readonly task: Task;
  readonly kill: Kill | null;
}

/** What it writes down once it is done: the changing calls it made. */
export interface ChildNote {
  readonly files: readonly string[];
  readonly store: readonly string[];
}

const order = JSON.parse(process.argv[2] ?? "") as ChildOrder;
const { directory, place, sessionId, task, kill } = order;
const ledger = openLedger<ChildNote>(order.ledger);
// Before the modules that copy the functions: the lock library's.
const injector = await createFaultInjector(() => undefined);
const { createLiteAgent, extractiveCompactor } = await import("../../agent/index.ts");
const storeCalls: string[] = [];
const store = await openStore(directory, place);
const { calls = [] } = task.do === "turn" ? (turns[task.turn] ?? {}) : {};
await using agent = createLiteAgent({
  model: modelOf([calls]),
  modelName: "scripted",
  workdir: workdirIn(directory),
  checkpointer: counted(store),
  compactor: extractiveCompactor(),
});
if (task.do === "turn" || task.do === "compact") await agent.resume(sessionId);
storeCalls.length = 0;
injector.arm(kill?.what === "file" ? [{ at: kill.at, act: kill.act }] : []);
await run();
const { calls: files } = injector.disarm();
ledger.note({ files, store: storeCalls });
await store.close();

async function run(): Promise<void> {
  switch (task.do) {
    case "restore":
      await agent.restore(sessionId, task.seq, task.options);
      return;
    case "resume":
      return agent.resume(sessionId);
    case "turn":
      await agent.send(turns[task.turn]?.prompt ?? "");
      return;
    case "compact":
      for await (const _event of agent.compact()) continue;
  }
}

/** The same checkpointer, with its changing calls counted, and the process killed at one of them. */
function counted(inner: Checkpointer): Checkpointer {
  const around = <A extends unknown[], R>(name: string, method: (...args: A) => Promise<R>) =>
    async function (...args: A): Promise<R> {
      storeCalls.push(name);
      const now = kill?.what === "store" && storeCalls.length === kill.at;
      if (now && kill.act === "kill") process.kill(process.pid, "SIGKILL");
      const result = await method(...args);
      if (now) process.kill(process.pid, "SIGKILL");
      return result;
    };
  return {
    ...inner,
    append: around("append", inner.append.bind(inner)),
    fork: around("fork", inner.fork.bind(inner)),
    truncate: around("truncate", inner.truncate.bind(inner)),
    delete: around("delete", inner.delete.bind(inner)),
  };
}
