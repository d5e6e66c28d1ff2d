import process from "node:process";
import type { Fixture } from "../../conformance/fixture.ts";
import { manifestOf } from "../../conformance/manifest.ts";
import type { Handle } from "../../conformance/session-state.ts";
import { eventMix } from "../event-mix.ts";
import type { Work } from "../workload.ts";
import type { Cost, SideRequest } from "./messages.ts";
import { openSide } from "./open-side.ts";
import { workKinds } from "./work-kinds.ts";

/** Events that appends take in turn. */
const eventCount = 2_000;

/** A store with work on it, which can be done again and again. */
export interface PreparedSide {
  /** What so many operations took. */
  readonly run: (operations: number) => Promise<Cost>;
  readonly close: () => Promise<void>;
}

/** Opens a side's store and prepares work on it; the reason, as a text, where the store cannot do it. */
export async function prepareSide(
  order: Extract<SideRequest, { do: "prepare" }>,
): Promise<PreparedSide | string> {
  const { source, folder, seed, sizes, delay = 0 } = order;
  const kind = workKinds.find(({ id }) => id === order.kind);
  if (kind === undefined) throw new TypeError(`there is no work ${order.kind}`);
  const fixture = await openSide(source, folder);
  const handles = new Set<Handle>();
  const open = async (): Promise<Handle> => {
    const handle = (await fixture.open()) as Handle;
    handles.add(handle);
    return handle;
  };
  const closeAll = (): Promise<void> => closeStore(fixture, handles);
  const manifest = manifestOf(await open(), fixture);
  const refusal = kind.refusal?.(manifest, fixture) ?? null;
  if (refusal !== null) {
    await closeAll();
    return refusal;
  }
  const events = eventMix(eventCount, seed);
  const work = await kind.prepare({ open, manifest, fixture, events, sizes });
  return {
    run: (operations) => runWork(work, operations, delay),
    async close() {
      await work.close?.();
      await closeAll();
    },
  };
}

async function closeStore(fixture: Fixture, handles: ReadonlySet<Handle>): Promise<void> {
  for (const handle of handles) await (handle as Partial<Handle>).close?.();
  await fixture.dispose();
}

async function runWork(work: Work, operations: number, delay: number): Promise<Cost> {
  await work.arrange?.(operations);
  const begin = performance.now();
  const before = processorTime();
  await work.run(operations);
  if (delay > 0) spin((processorTime() - before) * delay);
  const cost = { time: performance.now() - begin, processor: processorTime() - before };
  await work.reset?.();
  return cost;
}

/** Milliseconds that this process has had, on all of its threads. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Uses so many milliseconds of a processor, as slower code would. */
function spin(milliseconds: number): void {
  const end = processorTime() + milliseconds;
  while (processorTime() < end);
}
