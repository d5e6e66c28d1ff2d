import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordableHistogram } from "node:perf_hooks";
import { createContext, type OwnedContext } from "../conformance/context.ts";
import type { EventObject } from "../src/index.ts";
import type {
  Block,
  Detail,
  Figure,
  GrowthPoint,
  Interval,
  SkippedWorkload,
} from "./bench-report.ts";
import type { Effort } from "./effort.ts";
import { describeFloor } from "./floors/describe-floor.ts";
import type { Floor } from "./floors/floor.ts";
import { openFloor } from "./floors/open-floor.ts";
import { latencyHistogram, latencyOf } from "./latency-of.ts";
import { measureBlocks, type Contestant } from "./measure-blocks.ts";
import type { KnownSubject } from "./known-subject.ts";
import { ratioInterval, spreadOf } from "./statistics.ts";
import type { Work } from "./workload.ts";
import type { TimedGroup, TimedKind } from "./workloads/index.ts";

/** What a run gives to everything that is measured. */
export interface RunContext {
  readonly subjects: readonly KnownSubject[];
  readonly events: readonly EventObject[];
  readonly effort: Effort;
  readonly seed: number;
  /** Where floors work. */
  readonly folder: string;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Figures, and what could not be measured. */
export interface Measured {
  readonly figures: readonly Figure[];
  readonly skipped: readonly SkippedWorkload[];
}

/** A contestant, and what is left to do with it. */
interface Entry extends Contestant {
  readonly close: () => Promise<void>;
}

/** Times a group of work on every store, each store and each floor in turn. */
export async function measureGroup(group: TimedGroup, run: RunContext): Promise<Measured> {
  const skipped: SkippedWorkload[] = [];
  const entries: Entry[] = [];
  try {
    for (const timed of group.members) {
      const able = run.subjects.filter((subject) => {
        const reason = timed.kind.refusal?.(subject.manifest, subject.probe) ?? null;
        if (reason !== null) skipped.push(skip(timed, subject, reason));
        return reason === null;
      });
      for (const subject of able) entries.push(await prepareSubject(timed, subject, run));
      for (const subject of able) {
        const name = floorEntryName(timed, subject);
        if (timed.floor === null || entries.some((entry) => entry.name === name)) continue;
        entries.push(await prepareFloor(timed, subject, run));
      }
    }
    const { blocks, blockMilliseconds: milliseconds } = run.effort;
    const options = { blocks, milliseconds, random: run.random, signal: run.signal };
    const times = await measureBlocks(entries, options);
    const figures = figuresOf(group, { run, entries, times });
    // Of a store that cannot do it, one line says so, however many members a group has.
    return { figures, skipped: unique(skipped) };
  } finally {
    for (const { close } of entries) await close();
  }
}

async function prepareSubject(
  { kind }: TimedKind,
  { subject }: KnownSubject,
  { events, effort, seed }: RunContext,
): Promise<Entry> {
  const { sizes } = effort;
  const context = await createContext(subject.createFixture, { seed, effort: 1 });
  let work: Work | undefined;
  const close = async (): Promise<void> => {
    await work?.close?.();
    await context.dispose();
  };
  try {
    work = await kind.prepare({ ...placeOf(context), events, sizes });
  } catch (error) {
    await close();
    throw error;
  }
  const parts = kind.parts?.(sizes) ?? 1;
  return {
    name: `${kind.id} ${subject.name}`,
    work,
    parts,
    least: kind.least ?? 1,
    most: kind.most ?? Infinity,
    // Where an operation has parts, its latency is nothing that anybody waits for.
    ...(parts === 1 && kind.workload !== "W06" && { histogram: latencyHistogram() }),
    close,
  };
}

const placeOf = ({ open, manifest, fixture }: OwnedContext) => ({ open, manifest, fixture });

async function prepareFloor(
  { kind, floor: bare }: TimedKind,
  subject: KnownSubject,
  { events, effort, folder }: RunContext,
): Promise<Entry> {
  if (bare === null) throw new TypeError("There is no floor to prepare");
  const own = await mkdtemp(join(folder, "floor-"));
  const server = subject.probe.server?.connectionString;
  const { synced } = subject;
  const floor: Floor = await openFloor(subject.floor, { folder: own, synced, server });
  return {
    name: floorEntryName({ kind, floor: bare }, subject),
    work: await bare.prepare(floor, events, effort.sizes),
    parts: kind.parts?.(effort.sizes) ?? 1,
    least: 1,
    most: Infinity,
    async close() {
      await floor.close();
      await rm(own, { recursive: true, force: true });
    },
  };
}

interface Timed {
  readonly run: RunContext;
  readonly entries: readonly Entry[];
  readonly times: ReadonlyMap<string, readonly number[]>;
}

function figuresOf({ members, growth }: TimedGroup, timed: Timed): readonly Figure[] {
  const { run, times } = timed;
  const last = members.at(-1);
  if (growth !== undefined && last !== undefined) {
    return run.subjects.map((subject) => {
      const points = members.map(({ kind }, index): GrowthPoint => {
        const own = times.get(`${kind.id} ${subject.subject.name}`) ?? [];
        return { events: growth[index] ?? 0, milliseconds: spreadOf(own) };
      });
      const figure = figureOf(last, subject, timed);
      const { workload } = last.kind;
      const title = `append 1 behind ${growth.map((length) => length.toLocaleString("en")).join(", ")} events`;
      const details = [...figure.details, ...growthDetails(members, subject, timed)];
      return { ...figure, id: workload, title, growth: points, details };
    });
  }
  return members.flatMap((member) =>
    run.subjects
      .filter(({ subject }) => times.has(`${member.kind.id} ${subject.name}`))
      .map((subject) => figureOf(member, subject, timed)),
  );
}

function figureOf(member: TimedKind, subject: KnownSubject, timed: Timed): Figure {
  const { run, entries, times } = timed;
  const { kind } = member;
  const { name, plain } = subject.subject;
  const own = times.get(`${kind.id} ${name}`) ?? [];
  const bare = member.floor === null ? undefined : times.get(floorEntryName(member, subject));
  const beside = plain === undefined ? undefined : times.get(`${kind.id} ${plain}`);
  const entry = entries.find((one) => one.name === `${kind.id} ${name}`);
  const blocks = own.map((time, index): Block => {
    return { time, floor: bare?.[index] ?? null, plain: beside?.[index] ?? null };
  });
  return {
    id: kind.id,
    workload: kind.workload,
    title: kind.title(run.effort.sizes),
    subject: name,
    per: kind.per,
    blocks,
    time: spreadOf(own),
    floor: bare === undefined ? null : { name: floorName(member, subject), time: spreadOf(bare) },
    ratio: intervalOf(own, bare, run.random),
    codecRatio: intervalOf(own, beside, run.random),
    latencies: latenciesOf(entry?.histogram, kind.per),
    growth: [],
    details: entry?.work.details?.() ?? [],
  };
}

/** How many times what the operation costs behind the shortest session it costs behind the longest. */
function growthDetails(
  members: readonly TimedKind[],
  { subject }: KnownSubject,
  { run, times }: Timed,
): readonly Detail[] {
  const timesOf = (member: TimedKind | undefined): readonly number[] =>
    times.get(`${member?.kind.id} ${subject.name}`) ?? [];
  const interval = intervalOf(timesOf(members.at(-1)), timesOf(members[0]), run.random);
  if (interval === null) return [];
  return [{ name: "longest / shortest session", value: interval.estimate, unit: "ratio" }];
}

function intervalOf(
  own: readonly number[],
  other: readonly number[] | undefined,
  random: () => number,
): Interval | null {
  if (other === undefined || other.length !== own.length || own.length === 0) return null;
  return ratioInterval(
    own.map((time, index) => time / (other[index] ?? Number.NaN)),
    random,
  );
}

function latenciesOf(
  histogram: RecordableHistogram | undefined,
  name: string,
): Figure["latencies"] {
  if (histogram === undefined || histogram.count === 0) return [];
  return [latencyOf(histogram, { name, from: "call", rate: null })];
}

/** Stores with the same floor share it. */
function floorEntryName({ kind }: TimedKind, { floor, synced }: KnownSubject): string {
  return `${kind.id} floor ${floor}${synced ? " synced" : ""}`;
}

function floorName({ floor }: TimedKind, subject: KnownSubject): string {
  return floor === null ? "" : describeFloor(subject.floor, floor.operation, subject.synced);
}

function skip({ kind }: TimedKind, { subject }: KnownSubject, reason: string): SkippedWorkload {
  return { workload: kind.workload, subject: subject.name, reason };
}

function unique(skipped: readonly SkippedWorkload[]): readonly SkippedWorkload[] {
  return [...new Map(skipped.map((one) => [JSON.stringify(one), one])).values()];
}
