import { formatBytes, formatTick } from "../format-number.ts";
import { html, type Markup } from "../page/markup.ts";
import { bottomAxis } from "./axes.ts";
import { drawing, label, nameLabel, percent } from "./drawing.ts";
import { linearScale, linearTicks } from "./scale.ts";
import { styleClass, type SubjectStyle } from "./subject-style.ts";

/** Sizes side by side. */
export interface BarPlot {
  readonly id: string;
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** One size. */
interface Bar {
  readonly name: string;
  readonly style: SubjectStyle | undefined;
  readonly bytes: number;
}

const rowHeight = 30;
const barHeight = 16;

/** Bars from zero, each with its size at its end. */
export function barPlot({ id, title, bars }: BarPlot): Markup {
  const ticks = linearTicks(
    bars.map(({ bytes }) => bytes),
    4,
  );
  const scale = linearScale({ low: 0, high: ticks.at(-1) ?? 1 });
  const height = bars.length * rowHeight + 4;
  const rows = bars.map(({ name, style, bytes }, index) => {
    const y = index * rowHeight + rowHeight / 2;
    return html`${nameLabel(name, { kind: "name", x: 0, shift: -10, y, anchor: "end" })}
      <rect
        class="bar ${styleClass(style)}"
        x="0"
        y="${y - barHeight / 2}"
        width="${percent(scale(bytes))}"
        height="${barHeight}"
        rx="2"
      />
      ${label(formatBytes(bytes), { kind: "value halo", x: scale(bytes), shift: 6, y })} `;
  });
  const axis = bottomAxis(
    ticks.map((bytes) => ({ at: scale(bytes), text: formatTick(formatBytes(bytes)) })),
    height,
  );
  const description = "Bytes, as bars from zero. The table below has the numbers.";
  return html`<div class="plot bars">
    ${drawing({ id, title, description, height }, html`${axis}${rows}`)}
  </div>`;
}
