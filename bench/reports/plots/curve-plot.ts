import { html, type Markup } from "../page/markup.ts";
import { bottomAxis, leftAxis, type Tick } from "./axes.ts";
import { curve, drawing, leader, mark, nameLabel } from "./drawing.ts";
import { spreadLabels } from "./spread-labels.ts";
import { styleClass, type SubjectStyle } from "./subject-style.ts";

/** A line through measured points. */
export interface Curve {
  readonly name: string;
  readonly style: SubjectStyle | undefined;
  /** From the left to the right; places are shares of the axes, from below. */
  readonly points: readonly CurvePoint[];
}

/** One point of a curve. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  /** What its mark says; null for a point without a mark, where many are close. */
  readonly about: string | null;
}

/** What a plot of curves shows. */
export interface CurvePlot {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly left: readonly Tick[];
  readonly bottom: readonly Tick[];
  readonly curves: readonly Curve[];
}

const least = 190;
const labelGap = 14;

/** Curves over a grid, each with its name at its end. */
export function curvePlot(plot: CurvePlot): Markup {
  const { id, title, description, left, bottom } = plot;
  const curves = plot.curves.filter(({ points }) => points.length > 0);
  // As high as its names, where there are more of them than fit beside it.
  const height = Math.max(least, curves.length * labelGap + 10);
  const ends = curves.map(({ points }) => height * (1 - (points.at(-1)?.y ?? 0)));
  const places = spreadLabels(ends, labelGap, 0, height);
  const drawn = curves.map((one, index) =>
    curveOf(one, height, ends[index] ?? 0, places[index] ?? 0),
  );
  const content = html`${bottomAxis(bottom, height)}${leftAxis(left, height)}${drawn}`;
  return html`<div class="plot curves">
    ${drawing({ id, title, description, height }, content)}
  </div>`;
}

function curveOf(
  { name, style, points }: Curve,
  height: number,
  end: number,
  place: number,
): Markup {
  const marks = points.flatMap(({ x, y, about }) =>
    about === null ? [] : [mark(style, { x, y: height * (1 - y), radius: 3 }, `${name}: ${about}`)],
  );
  const last = points.at(-1);
  const x = last?.x ?? 1;
  return html`<g class="series"
    >${curve(
      style,
      points.map((point) => [point.x, 1 - point.y]),
      height,
    )}
    <g class="points">${marks}</g>
    <g class="leader ${styleClass(style)}">${leader(x, end, place)}</g>
    ${nameLabel(name, { kind: `end ${styleClass(style)}`, x: 1, shift: 14, y: place })}</g
  > `;
}
