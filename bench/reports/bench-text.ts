import type { BenchReport, Figure } from "../bench-report.ts";
import {
  countedNames,
  counterTitles,
  countOf,
  environmentPairs,
  figureGroups,
  latencyAt,
  latencyGroups,
  skipsByReason,
  type FigureGroup,
} from "./findings.ts";
import {
  dash,
  formatAmount,
  formatCount,
  formatInterval,
  formatPercentile,
  formatRatio,
  formatTime,
} from "./format-number.ts";
import { plainLine } from "./plain-line.ts";
import { storyOf } from "./story.ts";

/** Columns of a terminal that everything fits into, names cut where they have to be. */
const columns = 100;
const indent = 2;
const gap = 2;

/** A report for a terminal: aligned columns, and what stands out last, where one looks first. */
export function benchText(report: BenchReport): string {
  const { headline, findings } = storyOf(report);
  const lines = [
    ...wrap(environmentOf(report), 0),
    ...figureLines(report),
    ...latencyLines(report),
    ...counterLines(report),
    ...skipLines(report),
    "",
    ...wrap(headline, 0),
    ...findings.flatMap(({ about, sentence }) => wrap(`${about}: ${sentence}`, indent)),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function environmentOf({ environment, effort, seed, milliseconds }: BenchReport): string {
  const pairs = environmentPairs(environment).map(([name, value]) => `${name} ${value}`);
  return `${effort}, seed ${seed}, ${formatTime(milliseconds)}; ${pairs.join(", ")}`;
}

function figureLines(report: BenchReport): readonly string[] {
  const groups = figureGroups(report);
  if (groups.length === 0) return [];
  const plain = groups.some(({ figures }) => figures.some(({ codecRatio }) => codecRatio !== null));
  const head = ["time", "floor", "× floor", "95 %", ...(plain ? ["× plain"] : [])];
  const sections = groups.map((group) => ({
    title: titleOf(group),
    rows: group.figures.map((figure): readonly string[] => [
      figure.subject,
      formatTime(figure.time.median),
      formatTime(figure.floor?.time.median ?? null),
      formatRatio(figure.ratio?.estimate ?? null),
      formatInterval(figure.ratio),
      ...(plain ? [formatRatio(figure.codecRatio?.estimate ?? null)] : []),
    ]),
  }));
  return ["", ...tableLines(head, sections), ...detailLines(groups)];
}

function titleOf({ id, title, per }: FigureGroup): string {
  return `${id} ${title}, per ${per}`;
}

function detailLines(groups: readonly FigureGroup[]): readonly string[] {
  const found = groups.flatMap(({ figures }) => figures.flatMap(detailsOf));
  return found.length === 0 ? [] : ["", ...found];
}

function detailsOf({ id, subject, details }: Figure): readonly string[] {
  return details.flatMap(({ name, value, unit }) =>
    wrap(`${id}, ${subject}: ${name} ${formatAmount(value)} ${unit}`, 0),
  );
}

function latencyLines(report: BenchReport): readonly string[] {
  const groups = latencyGroups(report);
  if (groups.length === 0) return [];
  const percentiles = [50, 99, 99.9, 100];
  const sections = groups.map(({ id, name, from, curves }) => ({
    title: `${id} ${name}, from the ${from === "intended" ? "intended start" : "call"}`,
    rows: curves.map(({ subject, latency }) => [
      subject,
      ...percentiles.map((percentile) => formatTime(latencyAt(latency, percentile))),
    ]),
  }));
  return ["", ...tableLines(percentiles.map(formatPercentile), sections)];
}

function counterLines(report: BenchReport): readonly string[] {
  if (report.counters.length === 0) return [];
  const names = countedNames(report);
  const batches = [...new Set(report.counters.map(({ batch }) => batch))];
  // Counters stand in lines and stores in columns, until there are too many of them to stand there.
  const sections = batches.map((batch) => ({
    title: `counted, for one append of ${countOf(batch, "event")}`,
    rows: report.counters
      .filter((set) => set.batch === batch)
      .map(({ subject, counters }) => [
        subject,
        ...names.map((name) =>
          formatCount(counters.find((one) => one.name === name)?.value ?? null),
        ),
      ]),
  }));
  const head = names.map((name) => shortTitles[name] ?? counterTitles[name]);
  return ["", ...tableLines(head, sections)];
}

/** Where the whole title does not fit above a column. */
const shortTitles: Readonly<Partial<Record<string, string>>> = {
  writtenBytes: "written B",
  otherFileCalls: "other",
  statements: "SQL",
  transactions: "commits",
  roundTrips: "trips",
  diskBytesPerEvent: "disk B/event",
  filesPerSession: "files",
};

function skipLines(report: BenchReport): readonly string[] {
  const skips = skipsByReason(report).flatMap(({ reason, places }) =>
    wrap(`left out: ${reason} (${places.join("; ")})`, 0),
  );
  return skips.length === 0 ? [] : ["", ...skips];
}

interface Section {
  readonly title: string;
  /** A name, then numbers. */
  readonly rows: ReadonlyArray<readonly string[]>;
}

/** Sections with the same columns: the numbers as wide as they need, the name has what is left. */
function tableLines(head: readonly string[], sections: readonly Section[]): readonly string[] {
  const rows = sections.flatMap((section) => section.rows);
  const widths = head.map((title, index) =>
    Math.max(width(title), ...rows.map((row) => width(row[index + 1] ?? dash))),
  );
  const taken = widths.reduce((sum, one) => sum + one + gap, indent);
  const room = Math.max(12, columns - taken);
  const names = rows.map(([name = ""]) => width(plainLine(name)));
  const nameWidth = Math.min(room, Math.max(0, ...names));
  const line = (name: string, cells: readonly string[]): string => {
    const padded = cells.map((cell, index) => padStart(cell, (widths[index] ?? 0) + gap));
    return `${" ".repeat(indent)}${padEnd(cut(plainLine(name), nameWidth), nameWidth)}${padded.join("")}`;
  };
  return [
    line("", head),
    ...sections.flatMap(({ title, rows: own }) => [
      cut(plainLine(title), columns),
      ...own.map(([name = "", ...cells]) => line(name, cells)),
    ]),
  ];
}

/** Breaks between words, where there are any. */
function wrap(text: string, spaces: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of plainLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || width(longer) + spaces <= columns) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = `  ${word}`;
  }
  return [...lines, line].map((one) => " ".repeat(spaces) + one);
}

function width(text: string): number {
  return Array.from(text).length;
}

function padStart(text: string, size: number): string {
  return " ".repeat(Math.max(0, size - width(text))) + text;
}

function padEnd(text: string, size: number): string {
  return text + " ".repeat(Math.max(0, size - width(text)));
}

/** The end of a name says more than its middle. */
function cut(text: string, size: number): string {
  const characters = Array.from(text);
  if (characters.length <= size) return text;
  const tail = Math.floor((size - 1) / 2);
  const head = characters.slice(0, size - 1 - tail);
  return `${head.join("")}…${characters.slice(characters.length - tail).join("")}`;
}
