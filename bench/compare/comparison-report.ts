import { counterTitles, countOf } from "../reports/findings.ts";
import { formatCount, formatInterval, formatTime, formatTimes } from "../reports/format-number.ts";
import { plainLine } from "../reports/plain-line.ts";
import type { ComparedCounter, ComparedFigure, Comparison } from "./comparison.ts";
import { inline, markdownPage, markdownTable, titledList } from "../reports/markdown.ts";
import { textTable } from "./text-table.ts";

const figureHead = ["store", "figure", "base", "new", "change", "95 %", "verdict"];
const counterHead = ["store", "count", "base", "new", "verdict"];

/** What a comparison comes to, in one line. */
export function comparisonVerdict({ figures, counters, threshold }: Comparison): string {
  const slower = figures.filter(({ isRed }) => isRed).length;
  const more = counters.filter(({ isRed }) => isRed).length;
  const percent = `${formatCount(threshold * 100)} %`;
  if (slower + more > 0) {
    const parts = [
      ...(slower > 0 ? [`${countOf(slower, "figure")} slower by more than ${percent}`] : []),
      ...(more > 0 ? [`${countOf(more, "count")} higher`] : []),
    ];
    return `red: ${parts.join(", ")}`;
  }
  const unsure = figures.filter((one) => one.by !== "time" && one.verdict === "unsure").length;
  const rest = unsure === 0 ? "" : `; ${countOf(unsure, "figure")} unsure`;
  return `green: nothing slower by more than ${percent}, no count higher${rest}`;
}

/** A comparison for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const { warnings, missing, added, figures, counters } = comparison;
  const changed = counters.filter(isNews);
  const lines = [
    comparisonVerdict(comparison),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...tableOf(figureHead, figures.map(figureCells)),
    ...tableOf(counterHead, changed.map(counterCells)),
    ...countersNote(comparison).map((note) => `  ${note}`),
    ...missing.map((name) => `  missing: ${name}`),
    ...added.map((name) => `  new: ${name}`),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** A comparison for a pull request. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { warnings, missing, added, figures, counters } = comparison;
  const notes = countersNote(comparison);
  return markdownPage([
    `## Benchmarks ${inline(comparisonVerdict(comparison))}`,
    titledList("The two runs are not alike", warnings),
    markdownTable(figureHead, figures.map(figureCells)),
    markdownTable(counterHead, counters.filter(isNews).map(counterCells)),
    notes.map(inline).join("\n\n"),
    titledList("Missing", missing),
    titledList("New", added),
  ]);
}

/** Counts that stayed what they were are summed up. */
function isNews({ verdict }: ComparedCounter): boolean {
  return verdict === "more" || verdict === "fewer";
}

function countersNote({ counters }: Comparison): readonly string[] {
  const equal = counters.filter(({ verdict }) => verdict === "equal").length;
  const unknown = counters.filter(({ verdict }) => verdict === "not comparable").length;
  if (counters.length === 0) return [];
  return [`${countOf(equal, "count")} equal, ${formatCount(unknown)} not comparable`];
}

function figureCells(figure: ComparedFigure): readonly string[] {
  const { subject, id, title, by, base, next, change, verdict, isRed } = figure;
  const show = by === "time" ? formatTime : formatTimes;
  const told = by === "time" ? `${verdict} (by time: no floor)` : verdict;
  return [
    subject,
    `${id} ${title}`,
    show(base),
    show(next),
    formatTimes(change.estimate),
    formatInterval(change),
    isRed ? `${told.toUpperCase()}` : told,
  ].map(plainLine);
}

function counterCells(counter: ComparedCounter): readonly string[] {
  const { subject, batch, name, base, next, verdict, isRed } = counter;
  return [
    subject,
    `${counterTitles[name]}, append of ${countOf(batch, "event")}`,
    formatCount(base),
    formatCount(next),
    isRed ? verdict.toUpperCase() : verdict,
  ].map(plainLine);
}

function tableOf(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
): readonly string[] {
  return rows.length === 0 ? [] : ["", ...textTable([head, ...rows]), ""];
}
