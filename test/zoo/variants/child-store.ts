import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { join } from "node:path";
import type { Fixture } from "../../../conformance/fixture.ts";
import {
  CheckpointError,
  createCheckpointer,
  type ErrorCode,
  type EventObject,
  type RecordStore,
  type StoredRecord,
} from "../../../src/index.ts";

interface Answer {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** Asks a child process, in which one store lives for each number. */
type Ask = (store: number, method: string, ...given: readonly unknown[]) => Promise<unknown>;

let ask: Ask | undefined;
let stores = 0;

/** Starts the child. It ends with this process, when its input does. */
function start(): Ask {
  const main = join("dist", "test", "zoo", "variants", "child-main.js");
  const child = spawn(process.execPath, [main], { stdio: ["pipe", "pipe", "inherit"] });
  child.unref();
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.call)?.(answer);
    waiting.delete(answer.call);
  });
  return async (store, method, ...given) => {
    calls += 1;
    const call = calls;
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(call, resolve);
      child.stdin.write(`${JSON.stringify({ call, store, method, given })}\n`);
    });
    if (answer.error === undefined) return answer.result;
    throw new CheckpointError(answer.error.code, answer.error.message);
  };
}

/** A memory store in a child process; requests and answers are lines of JSON. */
export function childStore(): Fixture {
  ask ??= start();
  const askChild = ask;
  stores += 1;
  const number = stores;
  const call = async <T>(method: string, ...given: readonly unknown[]): Promise<T> =>
    (await askChild(number, method, ...given)) as T;

  const store: RecordStore = {
    capabilities: {
      concurrency: "process",
      durability: "none",
      readIsolation: "snapshot",
      clock: "local",
      limits: { maxEventBytes: 4_194_304, maxBatchEvents: 10_000, maxSessionIdBytes: 512 },
      truncate: true,
      idempotency: true,
    },
    head: (sessionId) => call("head", sessionId),
    commit: (sessionId, change) => call("commit", sessionId, change),
    list: (page) => call("list", finite(page)),
    delete: (sessionId) => call("delete", sessionId),
    async *read(sessionId, range) {
      yield await call<StoredRecord[]>("read", sessionId, finite(range));
    },
    close: async () => {},
  };
  return {
    name: "child",
    open: () => createCheckpointer<EventObject>(store),
    dispose: () => undefined,
  };
}

/** JSON knows no Infinity. */
function finite<T extends { readonly limit: number }>(range: T): T {
  return { ...range, limit: Math.min(range.limit, Number.MAX_SAFE_INTEGER) };
}
