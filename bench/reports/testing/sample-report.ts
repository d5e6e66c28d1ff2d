import type {
  BenchReport,
  Block,
  CounterSet,
  Figure,
  Interval,
  Latency,
  Spread,
  SubjectSummary,
} from "../../bench-report.ts";
import { seededRandom } from "../../seeded-random.ts";

/** A name that breaks whatever puts it into a report as it is. */
export const hostileName = "a|b <script>alert('1')</script> & \"`*_[x](y)\n\u001b[31m\u202ez";

/** A store as the sample makes it up. */
export interface SampleSubject {
  readonly name: string;
  readonly plain?: string;
  readonly floor: string;
  /** Milliseconds of one append, and of the bare operation. */
  readonly append: number;
  readonly bare: number;
  /** Of one event on disk; null for memory. */
  readonly bytes: number | null;
}

/** What a run of `ckpt bench` would most often have. */
export const sampleSubjects: readonly SampleSubject[] = [
  { name: "memory", floor: "JSON.stringify + push", append: 0.0036, bare: 0.0024, bytes: null },
  { name: "file", floor: "write + fdatasync", append: 0.238, bare: 0.1976, bytes: 1_190.5 },
  { name: "sqlite", floor: "a bare transaction", append: 0.0253, bare: 0.0261, bytes: 1_104 },
  {
    name: "sqlite, sealed",
    plain: "sqlite",
    floor: "a bare transaction",
    append: 0.0482,
    bare: 0.0261,
    bytes: 1_166,
  },
  {
    name: "sqlite, compress + aes-gcm",
    plain: "sqlite",
    floor: "a bare transaction",
    append: 0.0864,
    bare: 0.0261,
    bytes: 702.3,
  },
];

/** A report that is the same at every call; times are made up around those of its subjects. */
export function sampleReport(subjects: readonly SampleSubject[] = sampleSubjects): BenchReport {
  const random = seededRandom(20_261);
  return {
    ...emptyReport(),
    milliseconds: 81_340,
    subjects: subjects.map(summaryOf),
    figures: works.flatMap((work) =>
      subjects.flatMap((one) =>
        work.without?.(one) === true ? [] : figureOf(work, one, subjects, random),
      ),
    ),
    counters: subjects.flatMap(({ name, bytes }) => countersOf(name, bytes)),
    skipped: subjects
      .filter(({ bytes }) => bytes === null)
      .flatMap(({ name }) =>
        ["W06", "W14", "W15"].map((workload) => ({
          workload,
          subject: name,
          reason: "one object is all there is",
        })),
      ),
  };
}

/** A report of a run in which nothing could be measured. */
export function emptyReport(): BenchReport {
  return {
    format: 1,
    suite: "0.1.0",
    startedAt: "2026-11-30T13:05:00.000Z",
    milliseconds: 12,
    environment: {
      node: "v20.20.2",
      system: "Linux 6.18.44",
      processor: "AMD EPYC",
      cores: 2,
      fileSystem: "ext4",
      syncMicroseconds: 197.6,
      sqlite: "3.53.2",
      load: 1.25,
      commit: "d36e9fb",
    },
    effort: "quick",
    seed: 20_261,
    input: { name: "generated", events: 4_096, medianBytes: 614, p99Bytes: 41_288 },
    subjects: [],
    figures: [],
    counters: [],
    skipped: [],
  };
}

function summaryOf({ name, plain, floor, bytes }: SampleSubject): SubjectSummary {
  const durability = bytes === null ? "none" : name.startsWith("file") ? "power" : "process";
  const concurrency = bytes === null ? "one object" : "processes on a host";
  return { name, plain: plain ?? null, floor, durability, concurrency };
}

interface SampleWork {
  readonly id: string;
  readonly title: string;
  readonly per: string;
  /** Of one append's time. */
  readonly share: number;
  /** What a floor's share is beside it; null where nothing compares. */
  readonly bare: number | null;
  readonly without?: (subject: SampleSubject) => boolean;
}

const inMemory = ({ bytes }: SampleSubject): boolean => bytes === null;

const works: readonly SampleWork[] = [
  { id: "W01", title: "append 1", per: "append", share: 1, bare: 1 },
  { id: "W02/10", title: "append 10 at once", per: "event", share: 0.4, bare: 0.41 },
  { id: "W02/100", title: "append 100 at once", per: "event", share: 0.22, bare: 0.2 },
  { id: "W03", title: "append with an expected head", per: "append", share: 1.04, bare: 1 },
  { id: "W04", title: "8 writers on sessions of their own", per: "append", share: 0.7, bare: 1 },
  { id: "W05", title: "8 writers on one session", per: "commit", share: 1.9, bare: null },
  {
    id: "W06",
    title: "4 processes on one store",
    per: "append",
    share: 3.2,
    bare: null,
    without: inMemory,
  },
  { id: "W07", title: "read 10,000 events", per: "event", share: 0.14, bare: 0.13 },
  { id: "W08", title: "resume: the last 50 of 10,000", per: "resume", share: 8, bare: 7.4 },
  { id: "W09", title: "list 10,000 sessions", per: "list", share: 700, bare: null },
  { id: "W11", title: "append behind 100,000 events", per: "append", share: 1.02, bare: null },
  { id: "W12", title: "open loop", per: "append", share: 1.1, bare: null },
  {
    id: "W13",
    title: "80 % appends, 15 % resumes, 5 % lists",
    per: "operation",
    share: 3,
    bare: null,
  },
  {
    id: "W15",
    title: "append while another process reads",
    per: "append",
    share: 1.3,
    bare: null,
    without: inMemory,
  },
];

function figureOf(
  work: SampleWork,
  subject: SampleSubject,
  subjects: readonly SampleSubject[],
  random: () => number,
): Figure {
  const { id, title, per } = work;
  const plain = subjects.find(({ name }) => name === subject.plain);
  const noise = (): number => 0.93 + 0.16 * random();
  const blocks: Block[] = Array.from({ length: 12 }, () => ({
    time: subject.append * work.share * noise(),
    floor: work.bare === null ? null : subject.bare * work.bare * noise(),
    plain: plain === undefined ? null : plain.append * work.share * noise(),
  }));
  const floors = blocks.flatMap(({ floor }) => (floor === null ? [] : [floor]));
  const floor = floors.length === 0 ? null : { name: subject.floor, time: spreadOf(floors) };
  return {
    id,
    workload: id.slice(0, 3),
    title,
    subject: subject.name,
    per,
    blocks,
    time: spreadOf(blocks.map(({ time }) => time)),
    floor,
    ratio: intervalOf(blocks.map(({ time, floor: bare }) => (bare === null ? null : time / bare))),
    codecRatio: intervalOf(
      blocks.map(({ time, plain: other }) => (other === null ? null : time / other)),
    ),
    latencies: latenciesOf(id, subject.append * work.share, random),
    growth: id === "W11" ? growthOf(subject.append, noise) : [],
    details:
      id === "W05" ? [{ name: "conflicts", value: 2.61 + random(), unit: "conflicts/commit" }] : [],
  };
}

function latenciesOf(id: string, time: number, random: () => number): readonly Latency[] {
  const latency = (name: string, rate: number | null, times: number): Latency => {
    const tail = 1 + 2 * random();
    const at = (percentile: number, factor: number): readonly [number, number] => [
      percentile,
      time * times * factor ** tail,
    ];
    return {
      name,
      from: rate === null ? "call" : "intended",
      count: 24_000,
      rate,
      percentiles: [
        at(0, 0.8),
        at(10, 0.88),
        at(25, 0.94),
        at(50, 1),
        at(75, 1.1),
        at(90, 1.3),
        at(95, 1.6),
        at(99, 2.6),
        at(99.5, 3.1),
        at(99.9, 5.2),
        at(99.95, 6.3),
        at(99.99, 9),
        at(100, 11),
      ],
    };
  };
  if (id === "W12") {
    return [
      latency("50 % of capacity", 500 / time, 1.05),
      latency("80 % of capacity", 800 / time, 1.9),
    ];
  }
  if (id === "W13") {
    return [latency("append", 900, 0.4), latency("resume", 900, 3.3), latency("list", 900, 40)];
  }
  if (id === "W15") return [latency("with a reader", null, 1.2), latency("alone", null, 1)];
  return id === "W01" ? [latency("append", null, 0.96)] : [];
}

function growthOf(append: number, noise: () => number): Figure["growth"] {
  return [1_000, 10_000, 100_000].map((events) => {
    return { events, milliseconds: spreadOf([0, 1, 2, 3, 4].map(() => append * noise())) };
  });
}

function countersOf(subject: string, bytes: number | null): readonly CounterSet[] {
  const isFile = subject.startsWith("file");
  return [1, 100].map((batch) => ({
    subject,
    batch,
    countedBy: bytes === null ? "node:fs; memory alone is not seen" : "strace",
    counters: [
      { name: "syncs", value: isFile ? 1 : 0 },
      { name: "writes", value: bytes === null ? 0 : Math.ceil(batch / 64) },
      { name: "writtenBytes", value: bytes === null ? 0 : Math.round(bytes * batch) },
      { name: "statements", value: isFile || bytes === null ? null : 2 + batch },
      { name: "transactions", value: isFile || bytes === null ? null : 1 },
      { name: "diskBytesPerEvent", value: bytes },
      { name: "filesPerSession", value: isFile ? 1 : 0 },
    ],
  }));
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (index: number): number => sorted[index] ?? 0;
  return { median: at(sorted.length >> 1), least: at(0), most: at(sorted.length - 1) };
}

/** Near enough for a sample: the middle of the ratios, and what lies between their outer ones. */
function intervalOf(ratios: ReadonlyArray<number | null>): Interval | null {
  const known = ratios.flatMap((ratio) => (ratio === null ? [] : [ratio]));
  if (known.length === 0) return null;
  const sorted = known.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { estimate: at(0.5), low: at(0.15), high: at(0.85) };
}
