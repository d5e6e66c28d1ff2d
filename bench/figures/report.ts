import type { Result } from "./measure.ts";

/** Head of the table that {@link tableRow} fills. */
export const tableHead: string = [
  "| workload | per operation | floor | ratio | range | CPU ratio | goal | |",
  "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
].join("\n");

/** A Markdown row. */
export function tableRow({
  comparison,
  time,
  floorTime,
  ratio,
  cpuRatio,
  reached,
}: Result): string {
  const cells = [
    comparison.what,
    formatTime(time),
    floorTime === null ? "" : formatTime(floorTime),
    ratio === null ? "" : `**${formatRatio(ratio.median)}**`,
    ratio === null ? "" : `${formatRatio(ratio.least)} to ${formatRatio(ratio.most)}`,
    cpuRatio === null ? "" : formatRatio(cpuRatio.median),
    goalOf(comparison.goal),
    reached === null ? "" : reached ? "reached" : "**missed**",
  ];
  return `| ${cells.join(" | ")} |`;
}

function goalOf(goal: Result["comparison"]["goal"]): string {
  if (goal === undefined) return "";
  return "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}

function formatRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);
}

function formatTime(milliseconds: number): string {
  if (milliseconds >= 100) return `${milliseconds.toFixed(0)} ms`;
  if (milliseconds >= 1) return `${milliseconds.toFixed(2)} ms`;
  return `${(milliseconds * 1_000).toFixed(1)} µs`;
}
