import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantile } from "simple-statistics";
import { createContext } from "../conformance/context.ts";
import { packageVersion } from "../conformance/package-version.ts";
import type { EventObject } from "../src/index.ts";
import type {
  BenchInput,
  BenchReport,
  CounterSet,
  EffortName,
  Figure,
  SkippedWorkload,
  SubjectSummary,
} from "./bench-report.ts";
import { countAppends } from "./counters/count-appends.ts";
import { efforts, withDuration, type Effort } from "./effort.ts";
import { lookAround } from "./environment.ts";
import { eventMix } from "./event-mix.ts";
import { describeFloor } from "./floors/describe-floor.ts";
import { knowSubject, type KnownSubject } from "./known-subject.ts";
import type { LatencyKind } from "./latency-work.ts";
import { measureGroup, type Measured, type RunContext } from "./measure-group.ts";
import { seededRandom } from "./seeded-random.ts";
import { spreadOf } from "./statistics.ts";
import type { Subject } from "./subject.ts";
import { latencyKinds, timedGroups } from "./workloads/index.ts";

/** What {@link bench} measures, and how. */
export interface BenchOptions {
  /** Stores, at least one; a codec's cost shows beside the same store without it. */
  readonly subjects: readonly Subject[];
  /** Ids of workloads, and `counters`. Default: all. */
  readonly workloads?: readonly string[] | undefined;
  /** Default `full`. */
  readonly effort?: EffortName | undefined;
  /** Milliseconds for each workload on each store. Default: by the effort. */
  readonly duration?: number | undefined;
  /** Of generated events and of orders; default 1. */
  readonly seed?: number | undefined;
  /** What is appended, in turn; default: generated events of a coding agent. */
  readonly input?: { readonly name: string; readonly events: readonly EventObject[] } | undefined;
  /** Where floors write, best on the same disk as the stores. Default: the system's temporary folder. */
  readonly folder?: string | undefined;
  /** Ends the run; what was made is removed first. */
  readonly signal?: AbortSignal | undefined;
  /** Told before every piece of work. */
  readonly onProgress?: ((progress: BenchProgress) => void) | undefined;
}

/** Where a run is. */
export interface BenchProgress {
  /** From 1 on. */
  readonly step: number;
  readonly of: number;
  readonly title: string;
}

/** What `workloads` calls the exact counts. */
export const countersName = "counters";

/** Events that are generated; more would only take longer to make. */
const generatedEvents = 4_000;
/** A transcript that is shorter is used again and again. */
const leastEvents = 1_000;

/**
 * Measures stores, and beside them the bare operations that they are built on, in this process and in
 * children of it. Every workload gets a fresh store that is removed when it is over.
 *
 * @throws RangeError for no subject, two of one name, or an input without events; what a store throws;
 * `signal.reason`
 */
export async function bench(options: BenchOptions): Promise<BenchReport> {
  const named = efforts[options.effort ?? "full"];
  const { duration } = options;
  return benchWith(options, duration === undefined ? named : withDuration(named, duration));
}

/** The same with an effort that has no name. */
export async function benchWith(options: BenchOptions, effort: Effort): Promise<BenchReport> {
  const { seed = 1, signal = new AbortController().signal } = options;
  requireSubjects(options.subjects);
  const input = options.input ?? { name: "generated", events: eventMix(generatedEvents, seed) };
  const begin = performance.now();
  const startedAt = new Date().toISOString();
  const parent = options.folder ?? tmpdir();
  const folder = await mkdtemp(join(parent, "ckpt-bench-"));
  try {
    const environment = await lookAround(folder);
    const subjects: KnownSubject[] = [];
    for (const subject of options.subjects) subjects.push(await knowSubject(subject, seed));
    const events = repeated(input.events);
    const random = seededRandom(seed);
    const run: RunContext = { subjects, events, effort, seed, folder, random, signal };
    const measured = await measureAll(run, options);
    return {
      format: 1,
      suite: packageVersion(),
      startedAt,
      milliseconds: Math.round(performance.now() - begin),
      environment,
      effort: effort.name,
      seed,
      input: describeInput(input),
      subjects: subjects.map(summarize),
      ...measured,
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Everything extends Measured {
  readonly counters: readonly CounterSet[];
}

interface Step {
  readonly title: string;
  readonly run: () => Promise<Partial<Everything>>;
}

async function measureAll(
  run: RunContext,
  { workloads, onProgress }: BenchOptions,
): Promise<Everything> {
  const steps = stepsOf(run, workloads);
  const figures: Figure[] = [];
  const counters: CounterSet[] = [];
  const skipped: SkippedWorkload[] = [];
  for (const [index, { title, run: measure }] of steps.entries()) {
    run.signal.throwIfAborted();
    onProgress?.({ step: index + 1, of: steps.length, title });
    const found = await measure();
    figures.push(...(found.figures ?? []));
    counters.push(...(found.counters ?? []));
    skipped.push(...(found.skipped ?? []));
  }
  const rising = figures.toSorted((left, right) => left.id.localeCompare(right.id, "en"));
  return { figures: rising, counters, skipped };
}

function stepsOf(run: RunContext, workloads: readonly string[] | undefined): readonly Step[] {
  const { sizes } = run.effort;
  const isChosen = (id: string): boolean => workloads === undefined || workloads.includes(id);
  const timed = timedGroups(sizes)
    .filter(({ members }) => members.some(({ kind }) => isChosen(kind.workload)))
    .map((group): Step => {
      const [first] = group.members;
      const title = `${first?.kind.workload} ${first?.kind.title(sizes)}`;
      return { title, run: () => measureGroup(group, run) };
    });
  const latencies = latencyKinds
    .filter(({ workload }) => isChosen(workload))
    .flatMap((kind) =>
      run.subjects.map((subject): Step => {
        const title = `${kind.workload} ${kind.title(sizes)}: ${subject.subject.name}`;
        return { title, run: () => measureLatencies(kind, subject, run) };
      }),
    );
  const counting = isChosen(countersName) ? run.subjects : [];
  return [
    ...timed,
    ...latencies,
    ...counting.map((subject): Step => {
      return {
        title: `exact counts: ${subject.subject.name}`,
        run: () => countSubject(subject, run),
      };
    }),
  ];
}

async function measureLatencies(
  kind: LatencyKind,
  { subject, manifest, probe }: KnownSubject,
  { events, effort, random, signal, seed }: RunContext,
): Promise<Partial<Everything>> {
  const reason = kind.refusal?.(manifest, probe) ?? null;
  if (reason !== null) {
    return { skipped: [{ workload: kind.workload, subject: subject.name, reason }] };
  }
  const { sizes, latencyMilliseconds: milliseconds } = effort;
  const context = await createContext(subject.createFixture, { seed, effort: 1 });
  try {
    const { open, fixture } = context;
    const given = { open, manifest, fixture, events, sizes, milliseconds, random, signal };
    const { latencies, details } = await kind.measure(given);
    const figure: Figure = {
      id: kind.id,
      workload: kind.workload,
      title: kind.title(sizes),
      subject: subject.name,
      per: kind.per,
      blocks: [],
      time: spreadOf(latencies.map(({ percentiles }) => medianOf(percentiles))),
      floor: null,
      ratio: null,
      codecRatio: null,
      latencies,
      growth: [],
      details,
    };
    return { figures: [figure] };
  } finally {
    await context.dispose();
  }
}

function medianOf(percentiles: Figure["latencies"][number]["percentiles"]): number {
  return percentiles.find(([percentile]) => percentile === 50)?.[1] ?? Number.NaN;
}

async function countSubject(
  { subject, manifest }: KnownSubject,
  { events, seed }: RunContext,
): Promise<Partial<Everything>> {
  const context = await createContext(subject.createFixture, { seed, effort: 1 });
  try {
    const { fixture } = context;
    if (fixture.processModule === undefined || manifest.concurrency === "instance") {
      const reason = "nothing leaves its process, and the fixture has no processModule";
      return { skipped: [{ workload: countersName, subject: subject.name, reason }] };
    }
    return { counters: await countAppends(subject.name, fixture, events) };
  } finally {
    await context.dispose();
  }
}

function requireSubjects(subjects: readonly Subject[]): void {
  const names = subjects.map(({ name }) => name);
  if (names.length === 0) throw new RangeError("bench() wanted at least one subject, met none");
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new RangeError(`bench() wanted subjects of different names, met "${twice}" twice`);
  }
}

function repeated(events: readonly EventObject[]): readonly EventObject[] {
  if (events.length === 0) throw new RangeError("bench() wanted events to append, met none");
  const times = Math.ceil(leastEvents / events.length);
  return Array.from({ length: times }, () => events).flat();
}

function describeInput({ name, events }: NonNullable<BenchOptions["input"]>): BenchInput {
  const sizes = events.map((event) => Buffer.byteLength(JSON.stringify(event)));
  return {
    name,
    events: events.length,
    medianBytes: quantile(sizes, 0.5),
    p99Bytes: quantile(sizes, 0.99),
  };
}

function summarize({ subject, manifest, floor, synced }: KnownSubject): SubjectSummary {
  return {
    name: subject.name,
    plain: subject.plain ?? null,
    floor: describeFloor(floor, "append", synced),
    durability: manifest.durability,
    concurrency: manifest.concurrency,
  };
}
