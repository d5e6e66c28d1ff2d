import { textTable } from "../compare/text-table.ts";
import { formatCount, formatRatio, formatTime } from "../reports/format-number.ts";
import type { Alarms, Calibration, Precision } from "./calibrate.ts";

const head = [
  "",
  "suspected",
  "red",
  "by time",
  "estimate",
  "width",
  "by processor",
  "estimate",
  "width",
];

/** A calibration for a terminal. */
export function calibrationText({ runs, delay, milliseconds, same, slowed }: Calibration): string {
  const percent = (share: number): string => `${formatCount(Math.round(share * 1_000) / 10)} %`;
  const rate = (count: number): string => `${count} of ${runs} (${percent(count / runs)})`;
  const row = (title: string, { suspected, red, runs: of }: Alarms): readonly string[] => [
    title,
    String(suspected),
    String(red),
    ...precisionCells(of.time),
    ...precisionCells(of.processor),
  ];
  const rows = [
    head,
    row("the same code twice", same),
    row(`one side slower by ${percent(delay)}`, slowed),
  ];
  const lines = [
    `false alarms: ${rate(same.red)}; found: ${rate(slowed.red)}`,
    "",
    ...textTable(rows, 1),
    "",
    `  ${2 * runs} gates in ${formatTime(milliseconds)}; a width is an interval's upper end over its lower one`,
  ];
  return `${lines.join("\n")}\n`;
}

function precisionCells({ red, change, width }: Precision): readonly string[] {
  const { median, least, most } = change;
  const range = `${formatRatio(median)} (${formatRatio(least)} to ${formatRatio(most)})`;
  return [String(red), range, formatRatio(width.median)];
}
