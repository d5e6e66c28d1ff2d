import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sizes, WorkKind } from "../workload.ts";
import { measurePairs, type Contestant, type CostPair, type PairOptions } from "./measure-pairs.ts";
import type { Cost, SideRequest, SideSource } from "./messages.ts";
import { startSide, type SideProcess } from "./start-side.ts";

/** A side, as far as one contest needs to know it. */
interface Side {
  /** What messages call it. */
  readonly name: string;
  readonly source: SideSource;
  /** See {@link SideRequest}. */
  readonly delay?: number | undefined;
}

/** What all contests of a run have in common. */
export interface ContestOptions extends PairOptions {
  readonly base: Side;
  readonly next: Side;
  /** The folder in which stores are made; nothing is left there. */
  readonly folder: string;
  /** Of the events. */
  readonly seed: number;
  readonly sizes: Sizes;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which an answer of a side counts as missing. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/**
 * Measures one kind of work on both sides, in fresh processes on fresh stores: what one process happens
 * to do to its memory or its code is then part of one contest, and not of all of them. Ends the processes
 * and removes the stores whatever happens.
 *
 * @returns pairs; the reason, as a text, where a side cannot do the work
 * @throws SideError; the signal's reason
 */
export async function runContest(
  kind: WorkKind,
  options: ContestOptions,
): Promise<readonly CostPair[] | string> {
  options.signal.throwIfAborted();
  const folder = await mkdtemp(join(options.folder, "ckpt-gate-"));
  const processes: SideProcess[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const side of [options.base, options.next]) {
      const own = join(folder, side.name);
      await mkdir(own);
      const started = startSide({ ...options, name: side.name, folder: own });
      processes.push(started);
      const refusal = await prepare(started, kind, side, own, options);
      if (refusal !== null) return `${side.name}: ${refusal}`;
      contestants.push({ run: (operations) => run(started, operations) });
    }
    const [base, next] = contestants;
    if (base === undefined || next === undefined) throw new TypeError("A contest takes two sides");
    const { least = 1, most = Infinity, parts = () => 1 } = kind;
    const bounds = { least, most, parts: parts(options.sizes) };
    const pairs = await measurePairs({ base, next }, bounds, options);
    for (const side of processes) await side.ask({ do: "close" });
    return pairs;
  } finally {
    await Promise.all(processes.map((side) => side.kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prepare(
  started: SideProcess,
  { id }: WorkKind,
  { source, delay }: Side,
  tmp: string,
  { seed, sizes }: ContestOptions,
): Promise<string | null> {
  const folder = join(tmp, "store");
  await mkdir(folder);
  const request: SideRequest = {
    do: "prepare",
    source,
    kind: id,
    folder,
    seed,
    sizes,
    delay,
  };
  const answer = await started.ask(request);
  if (answer.type !== "prepared") throw new TypeError(`Wanted prepared, got ${answer.type}`);
  return answer.refusal;
}

async function run(started: SideProcess, operations: number): Promise<Cost> {
  const answer = await started.ask({ do: "run", operations });
  if (answer.type !== "ran") throw new TypeError(`Wanted ran, got ${answer.type}`);
  return answer.cost;
}
