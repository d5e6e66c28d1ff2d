import type { BenchReport, CounterSet } from "../bench-report.ts";
import {
  countedNames,
  counterTitles,
  countOf,
  dashReasons,
  environmentPairs,
  latencyAt,
  latencyFrom,
  latencyGroups,
  skipsByReason,
} from "./findings.ts";
import {
  dash,
  formatAmount,
  formatBytes,
  formatCount,
  formatInterval,
  formatMoment,
  formatRatio,
  formatTime,
} from "./format-number.ts";
import { inline, markdownList, markdownPage, markdownTable } from "./markdown.ts";
import { storyOf } from "./story.ts";

/** A report for a pull request: what stands out, then tables of figures, counters and latencies. */
export function benchMarkdown(report: BenchReport): string {
  const { headline, findings } = storyOf(report);
  return markdownPage([
    `## ${inline(headline)}`,
    inline(summaryOf(report)),
    markdownList(findings.map(({ about, sentence }) => `${about}: ${sentence}`)),
    section("Times, of one", figureTable(report), dashNote(report)),
    section("Counted, for one append", counterTable(report)),
    section("Latencies", latencyTable(report)),
    section("Growth", growthTable(report)),
    section("Also found", detailTable(report)),
    section(
      "Left out",
      markdownList(
        skipsByReason(report).map(({ reason, places }) => `${reason} (${places.join("; ")})`),
      ),
    ),
  ]);
}

function summaryOf(report: BenchReport): string {
  const { suite, effort, seed, input, milliseconds, startedAt, environment } = report;
  const pairs = environmentPairs(environment).map(([name, value]) => `${name} ${value}`);
  const events = `${countOf(input.events, "event")} (${input.name})`;
  const sizes = `median ${formatBytes(input.medianBytes)}, p99 ${formatBytes(input.p99Bytes)}`;
  const run = `${formatMoment(startedAt)}, ${effort}, seed ${seed}, ${formatTime(milliseconds)}`;
  return `${pairs.join(", ")}; ${events}, ${sizes}; kit ${suite}, ${run}.`;
}

function figureTable({ figures }: BenchReport): string {
  const rows = figures.map(({ id, title, per, subject, time, floor, ratio, codecRatio }) => [
    `${id} ${title}`,
    subject,
    `${formatTime(time.median)} / ${per}`,
    floor === null ? dash : `${formatTime(floor.time.median)} ${floor.name}`,
    formatRatio(ratio?.estimate ?? null),
    formatInterval(ratio),
    codecRatio === null
      ? dash
      : `${formatRatio(codecRatio.estimate)} (${formatInterval(codecRatio)})`,
  ]);
  const head = ["figure", "store", "time", "floor", "× floor", "95 %", "× plain"];
  return markdownTable(head, rows);
}

function dashNote(report: BenchReport): string {
  const reasons = dashReasons(report);
  return reasons.length === 0 ? "" : inline(`${dash} ${reasons.join("; ")}.`);
}

function counterTable(report: BenchReport): string {
  const names = countedNames(report);
  const cellOf = ({ counters }: CounterSet, name: string): string =>
    formatCount(counters.find((one) => one.name === name)?.value ?? null);
  const rows = report.counters.map((set) => [
    set.subject,
    set.countedBy,
    countOf(set.batch, "event"),
    ...names.map((name) => cellOf(set, name)),
  ]);
  const head = ["store", "counted by", "append of", ...names.map((name) => counterTitles[name])];
  return markdownTable(head, rows);
}

function latencyTable(report: BenchReport): string {
  const rows = latencyGroups(report).flatMap(({ id, title, name, from, curves }) =>
    curves.map(({ subject, latency }) => [
      `${id} ${title}: ${name}`,
      subject,
      latencyFrom[from],
      latency.rate === null ? dash : formatCount(Math.round(latency.rate)),
      ...[50, 99, 99.9, 100].map((percentile) => formatTime(latencyAt(latency, percentile))),
    ]),
  );
  const head = ["distribution", "store", "counts", "calls/s", "p50", "p99", "p99.9", "most"];
  return markdownTable(head, rows, 3);
}

function growthTable({ figures }: BenchReport): string {
  const rows = figures.flatMap(({ id, title, subject, growth }) => {
    const points = growth.map(({ events, milliseconds }) => {
      return `${formatCount(events)}: ${formatTime(milliseconds.median)}`;
    });
    return points.length === 0 ? [] : [[`${id} ${title}`, subject, points.join(", ")]];
  });
  return markdownTable(["figure", "store", "events: time"], rows, 3);
}

function detailTable({ figures }: BenchReport): string {
  const rows = figures.flatMap(({ id, title, subject, details }) =>
    details.map(({ name, value, unit }) => [
      `${id} ${title}`,
      subject,
      name,
      `${formatAmount(value)} ${unit}`,
    ]),
  );
  return markdownTable(["figure", "store", "what", "found"], rows, 3);
}

function section(title: string, ...contents: readonly string[]): string {
  const [first = ""] = contents;
  if (first === "") return "";
  return [`### ${title}`, ...contents.filter((content) => content !== "")].join("\n\n");
}
