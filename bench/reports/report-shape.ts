import type {
  BenchEnvironment,
  BenchInput,
  BenchReport,
  Block,
  Counter,
  CounterName,
  CounterSet,
  Detail,
  Figure,
  GrowthPoint,
  Interval,
  Latency,
  SkippedWorkload,
  Spread,
  SubjectSummary,
} from "../bench-report.ts";
import {
  amount,
  finite,
  integer,
  list,
  mismatch,
  nullable,
  object,
  oneOf,
  text,
  type Check,
} from "./shape.ts";

/** The newest version of the shape that is known here. */
export const knownFormat = 1;

/** Throws a TypeError, in one line, unless `value` is a report in every member. */
export function checkReport(value: unknown): asserts value is BenchReport {
  report(value, "");
  checkNames(value as BenchReport);
}

/** Names are how parts of a report find each other, and how two reports are laid side by side. */
function checkNames({ subjects, figures, counters }: BenchReport): void {
  const names = subjects.map(({ name }) => name);
  checkOnce(names, (index) => `subjects[${index}].name`);
  const checkKnown = (name: string | null, path: string): void => {
    if (name !== null && !names.includes(name)) throw mismatch("a subject's name", name, path);
  };
  for (const [index, { plain }] of subjects.entries())
    checkKnown(plain, `subjects[${index}].plain`);
  for (const [index, { subject }] of figures.entries()) {
    checkKnown(subject, `figures[${index}].subject`);
  }
  for (const [index, { subject }] of counters.entries()) {
    checkKnown(subject, `counters[${index}].subject`);
  }
  const keys = figures.map(({ subject, id }) => JSON.stringify([subject, id]));
  checkOnce(keys, (index) => `figures[${index}].id`);
}

function checkOnce(names: readonly string[], pathOf: (index: number) => string): void {
  const met = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (met.has(name)) throw mismatch("a name of its own", name, pathOf(index));
    met.add(name);
  }
}

const format: Check = (value, path) => {
  if (value !== knownFormat) throw mismatch(String(knownFormat), value, path);
};

const environment = object<BenchEnvironment>({
  node: text,
  system: text,
  processor: text,
  cores: amount,
  fileSystem: nullable(text),
  syncMicroseconds: amount,
  sqlite: nullable(text),
  load: amount,
  commit: nullable(text),
});

const input = object<BenchInput>({
  name: text,
  events: amount,
  medianBytes: amount,
  p99Bytes: amount,
});

const subject = object<SubjectSummary>({
  name: text,
  plain: nullable(text),
  floor: text,
  durability: text,
  concurrency: text,
});

const spread = object<Spread>({ median: amount, least: amount, most: amount });
const interval = object<Interval>({ estimate: amount, low: amount, high: amount });
const block = object<Block>({ time: amount, floor: nullable(amount), plain: nullable(amount) });
const growthPoint = object<GrowthPoint>({ events: amount, milliseconds: spread });
const detail = object<Detail>({ name: text, value: finite, unit: text });

const percentiles: Check = (value, path) => {
  list(list(amount))(value, path);
  const pairs = value as ReadonlyArray<readonly number[]>;
  let before = -1;
  for (const [index, pair] of pairs.entries()) {
    const [percentile = -1] = pair;
    if (pair.length !== 2 || percentile <= before || percentile > 100) {
      throw mismatch("a pair with a higher percentile", pair, `${path}[${index}]`);
    }
    before = percentile;
  }
};

const latency = object<Latency>({
  name: text,
  from: oneOf("intended", "call"),
  count: amount,
  rate: nullable(amount),
  percentiles,
});

const figure = object<Figure>({
  id: text,
  workload: text,
  title: text,
  subject: text,
  per: text,
  blocks: list(block),
  time: spread,
  floor: nullable(object<NonNullable<Figure["floor"]>>({ name: text, time: spread })),
  ratio: nullable(interval),
  codecRatio: nullable(interval),
  latencies: list(latency),
  growth: list(growthPoint),
  details: list(detail),
});

const counterNames: Readonly<Record<CounterName, true>> = {
  syncs: true,
  writes: true,
  writtenBytes: true,
  otherFileCalls: true,
  statements: true,
  transactions: true,
  roundTrips: true,
  diskBytesPerEvent: true,
  filesPerSession: true,
};

const counter = object<Counter>({
  name: oneOf(...Object.keys(counterNames)),
  value: nullable(amount),
});

const counterSet = object<CounterSet>({
  subject: text,
  batch: amount,
  countedBy: text,
  counters: list(counter),
});

const skippedWorkload = object<SkippedWorkload>({ workload: text, subject: text, reason: text });

const report = object<BenchReport>({
  format,
  suite: text,
  startedAt: text,
  milliseconds: amount,
  environment,
  effort: oneOf("quick", "full"),
  seed: integer,
  input,
  subjects: list(subject),
  figures: list(figure),
  counters: list(counterSet),
  skipped: list(skippedWorkload),
});
