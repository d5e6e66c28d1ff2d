import type { Interval } from "../../bench-report.ts";
import { formatCount, formatInterval, formatRatio } from "../format-number.ts";
import { html, nothing, type Markup } from "../page/markup.ts";
import { bottomAxis } from "./axes.ts";
import { drawing, label, line, mark, nameLabel } from "./drawing.ts";
import { logDomain, logScale, logTicks, type Domain } from "./scale.ts";
import { styleClass, type SubjectStyle } from "./subject-style.ts";

/** Ratios that stand under one title. */
export interface ForestGroup {
  readonly title: string;
  readonly rows: readonly ForestRow[];
}

/** One ratio. */
interface ForestRow {
  readonly name: string;
  readonly style: SubjectStyle | undefined;
  readonly interval: Interval;
}

/** What a forest plot shows. */
export interface Forest {
  readonly id: string;
  readonly title: string;
  /** What 1 stands for, for example `the floor`. */
  readonly reference: string;
  readonly groups: readonly ForestGroup[];
  /** Of all plots that are to be compared with this one. */
  readonly domain: Domain;
}

const rowHeight = 22;
const titleHeight = 32;
const ticksAcross = 6;

/** Ratios with their intervals on a logarithmic axis, beside the line at 1. */
export function forestPlot({ id, title, reference, groups, domain }: Forest): Markup {
  const scale = logScale(domain);
  const rows: Markup[] = [];
  let y = 0;
  for (const group of groups) {
    const place = { kind: "group", x: 0, y: y + titleHeight / 2 + 4 };
    rows.push(html`<g class="outset">${label(group.title, place)}</g>`);
    y += titleHeight;
    for (const row of group.rows) {
      rows.push(rowOf(row, y + rowHeight / 2, scale));
      y += rowHeight;
    }
  }
  const height = y + 6;
  const ticks = logTicks(domain, ticksAcross).map((value) => {
    return { at: scale(value), text: formatCount(value) };
  });
  const count = groups.reduce((sum, group) => sum + group.rows.length, 0);
  const description = `${count} ratios with their 95 % intervals on a logarithmic axis; 1 is ${reference}. The table below has the numbers.`;
  const content = html`${bottomAxis(ticks, height)}${line("reference", [scale(1), 0], [scale(1), height])}
  ${rows}`;
  return html`<div class="plot forest">
    ${drawing({ id, title, description, height }, content)}
  </div>`;
}

/** Room for all of some intervals, and for 1. */
export function forestDomain(intervals: readonly Interval[]): Domain {
  return logDomain([1, ...intervals.flatMap(({ estimate, low, high }) => [estimate, low, high])]);
}

function rowOf(
  { name, style, interval }: ForestRow,
  y: number,
  scale: (value: number) => number,
): Markup {
  const { estimate, low, high } = interval;
  const between = formatInterval(interval);
  const about = `${name}: ${formatRatio(estimate)} (${between})`;
  return html`<g class="row"
    >${nameLabel(name, { kind: "name", x: 0, shift: -10, y, anchor: "end" })}
    <g class="whisker ${styleClass(style)}">${line("range", [scale(low), y], [scale(high), y])}</g>
    ${mark(style, { x: scale(estimate), y, radius: 3.5 }, about)}
    ${label(formatRatio(estimate), { kind: "value", x: 1, shift: 48, y, anchor: "end" })}${between === "—" ? nothing : label(between, { kind: "between", x: 1, shift: 56, y })}</g
  > `;
}
