import { inline, markdownPage, markdownTable, titledList } from "../reports/markdown.ts";
import { textTable } from "../compare/text-table.ts";
import { countOf } from "../reports/findings.ts";
import { formatCount, formatInterval, formatTime, formatTimes } from "../reports/format-number.ts";
import { plainLine } from "../reports/plain-line.ts";
import type { GateFigure, GateReport } from "./gate-report.ts";

const head = ["figure", "of", "verdict", "base", "new", "change", "95 %", "pairs", "second run"];

/** What a gate comes to, in one line. */
export function gateVerdict({ figures, threshold, isRed }: GateReport): string {
  const percent = `${formatCount(threshold * 100)} %`;
  const red = figures.filter((figure) => figure.isRed);
  if (isRed) return `red: ${idsOf(red)} slower by more than ${percent}, in two runs`;
  const gated = figures.filter(({ isGated }) => isGated);
  const unsure = gated.filter(({ verdict }) => verdict !== "same" && verdict !== "faster");
  const rest = unsure.length === 0 ? "" : `; not settled: ${idsOf(unsure)}`;
  return `green: nothing proved slower by more than ${percent}${rest}`;
}

function idsOf(figures: readonly GateFigure[]): string {
  return [...new Set(figures.map(({ id }) => id))].join(", ");
}

/** A gate for a terminal. */
export function gateText(report: GateReport): string {
  const rows = report.figures.map(cellsOf);
  const lines = [
    gateVerdict(report),
    `  ${plainLine(circumstances(report))}`,
    ...(rows.length === 0 ? [] : ["", ...textTable([head, ...rows], 3), ""]),
    ...skips(report).map((line) => `  skipped: ${plainLine(line)}`),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

/** A gate for a pull request. */
export function gateMarkdown(report: GateReport): string {
  return markdownPage([
    `## Gate ${inline(gateVerdict(report))}`,
    inline(circumstances(report)),
    markdownTable(head, report.figures.map(cellsOf), 3),
    titledList("Skipped", skips(report)),
  ]);
}

function circumstances(report: GateReport): string {
  const { baseline, against, store, pairs, block, duration, seed, milliseconds } = report;
  const where = store === null ? "" : ` on ${store}`;
  return (
    `${against} against ${baseline}${where}; ${formatTime(duration)} a run, at least ` +
    `${countOf(pairs, "pair")} of blocks of ${formatTime(block)}, seed ${seed}, ` +
    `in ${formatTime(milliseconds)}`
  );
}

function cellsOf(figure: GateFigure): readonly string[] {
  const { id, cost, title, per, run, verdict, isRed, isGated, confirmation } = figure;
  const told = isGated ? verdict : `${verdict} (not gated)`;
  return [
    `${id} ${title}`,
    cost,
    isRed ? told.toUpperCase() : told,
    `${formatTime(run.base.median)} / ${per}`,
    `${formatTime(run.next.median)} / ${per}`,
    formatTimes(run.change.estimate),
    formatInterval(run.change),
    formatCount(run.pairs.length),
    confirmation === null ? "" : formatInterval(confirmation.change),
  ].map(plainLine);
}

function skips({ skipped }: GateReport): readonly string[] {
  return skipped.map(({ id, reason }) => `${id}: ${reason}`);
}
