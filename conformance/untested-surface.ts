import { isCheckpointError, type Checkpointer, type EventObject } from "../src/index.ts";
import { collect } from "./collect.ts";
import type { Manifest } from "./manifest.ts";
import type { Handle } from "./session-state.ts";
import { withWatchdog } from "./watchdog.ts";

type OptionalMethod = "truncate" | "headToken" | "fork" | "verify" | "repair";

const id = "untested-surface";

/** The methods that a manifest can claim, called on a session that is not there. */
const methods: Readonly<Record<OptionalMethod, (handle: Handle) => Promise<unknown>>> = {
  truncate: (handle) => handle.truncate(id, 1),
  headToken: (handle) => handle.headToken(id),
  fork: (handle) => handle.fork(id, 1, `${id}-fork`),
  verify: (handle) => collect(handle.verify(id)),
  repair: (handle) => handle.repair(id),
};

/**
 * Methods that are there and work, but are not claimed: nobody tests them, and users may still call
 * them. One that refuses with `NOT_SUPPORTED` is as good as absent.
 */
export async function untestedSurface(
  handle: object,
  manifest: Manifest,
): Promise<readonly OptionalMethod[]> {
  const unclaimed = (Object.keys(methods) as OptionalMethod[]).filter((name) => !manifest[name]);
  const present = unclaimed.filter(
    (name) => typeof (handle as Partial<Checkpointer<EventObject>>)[name] === "function",
  );
  const untested: OptionalMethod[] = [];
  for (const name of present) {
    if (!(await isRefused(() => methods[name](handle as Handle)))) untested.push(name);
  }
  return untested;
}

/** A refusal is immediate; whatever takes its time is at work. */
const patience = 5_000;

async function isRefused(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await withWatchdog(call, patience);
    return false;
  } catch (error) {
    return isCheckpointError(error, "NOT_SUPPORTED");
  }
}
