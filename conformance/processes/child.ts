// A process of its own that opens a fixture's store and does what its parent asks.

import { writeSync } from "node:fs";
import process from "node:process";
import { collect } from "../collect.ts";
import { createFaultInjector, type FaultInjector } from "../faults/fault.ts";
import { skewClock } from "../faults/skew-clock.ts";
import { recordFileSystem, type Recording } from "../faults/record-file-system.ts";
import type { ProcessModule } from "../fixture.ts";
import type { Handle } from "../session-state.ts";
import {
  announceFd,
  type Answer,
  type ChildPlan,
  type RemoteFailure,
  type Request,
} from "./protocol.ts";

const plan = await new Promise<ChildPlan>((resolve) => {
  process.once("message", (message) => resolve(message as ChildPlan));
});
const announce = writeSync;
if (plan.clockAheadMs !== 0) skewClock(plan.clockAheadMs);
const injector: FaultInjector | null = plan.hooked
  ? await createFaultInjector(() => void announce(announceFd, "stop\n"))
  : null;
let recording: Recording | undefined;
let handle: Handle | undefined;

/** Loaded late, so that it meets the hooks. */
async function open(argument: unknown): Promise<Handle> {
  await handle?.close?.();
  const loaded = (await import(plan.module)) as Partial<ProcessModule>;
  if (typeof loaded.open !== "function") throw new TypeError("the processModule exports no open()");
  handle = (await loaded.open(argument)) as Handle;
  return handle;
}

function opened(): Handle {
  if (handle === undefined) throw new TypeError("the store was not opened");
  return handle;
}

async function answerTo(request: Request): Promise<unknown> {
  switch (request.do) {
    case "open":
      await open(request.argument);
      return null;
    case "arm":
      injector?.arm(request.faults);
      return null;
    case "disarm":
      return injector?.disarm() ?? { calls: [], fired: 0 };
    case "record":
      recording = await recordFileSystem(request.directory);
      return null;
    case "recorded":
      return recording?.take() ?? [];
    case "first":
      return growthOfFirstRead(request.sessionId);
    case "call":
      return call(request.method, request.args);
  }
}

/** Calls a method of the store; what it yields is collected, since an iterator cannot travel. */
async function call(method: string, args: readonly unknown[]): Promise<unknown> {
  const store = opened();
  const methods = store as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  const result = methods[method]?.(...args);
  const yields = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
  return yields ? collect(result as AsyncIterable<unknown>) : ((await result) ?? null);
}

/** By how many bytes the process has ever been larger than before, after a read that was left early. */
async function growthOfFirstRead(sessionId: string): Promise<number> {
  const store = opened();
  const before = process.memoryUsage.rss();
  for await (const _first of store.read(sessionId)) break;
  return process.resourceUsage().maxRSS * 1_024 - before;
}

function failureOf(error: unknown): RemoteFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, code, retryable, expected, actual, sessionId } = error as Error &
    Partial<RemoteFailure>;
  return JSON.parse(
    JSON.stringify({ name, message, code, retryable, expected, actual, sessionId }),
  ) as RemoteFailure;
}

process.on("message", (message) => {
  const { number, request } = message as { number: number; request: Request };
  const answer = (one: Answer): void => void process.send?.(one);
  answerTo(request).then(
    (value) => answer({ number, value }),
    (error: unknown) => answer({ number, failure: failureOf(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
