import { html, nothing, type Content, type Markup } from "../page/markup.ts";
import { plainLine } from "../plain-line.ts";
import type { SubjectStyle } from "./subject-style.ts";
import { styleClass } from "./subject-style.ts";

/** A drawing that a screen reader can name. */
export interface Drawing {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in words. */
  readonly description: string;
  /** Pixels. Across, a drawing takes what room there is: places are shares of it. */
  readonly height: number;
}

/** An SVG as wide as its box, in which pixels stay pixels, so that text is as large everywhere. */
export function drawing({ id, title, description, height }: Drawing, content: Content): Markup {
  return html`<svg
    class="drawing"
    width="100%"
    height="${height}"
    role="img"
    aria-labelledby="${id}-t ${id}-d"
  >
    <title id="${id}-t">${title}</title>
    <desc id="${id}-d">${description}</desc>
    ${content}
  </svg> `;
}

/** A share of the width, as an attribute. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))}%`;
}

/** A line with both ends in shares of the width and pixels of the height. */
export function line(
  kind: string,
  [fromX, fromY]: readonly [number, number],
  [toX, toY]: readonly [number, number],
): Markup {
  return html`<line
    class="${kind}"
    x1="${percent(fromX)}"
    y1="${pixels(fromY)}"
    x2="${percent(toX)}"
    y2="${pixels(toY)}"
  />`;
}

/** Where a mark stands, and its size in pixels. */
export interface MarkPlace {
  /** Share of the width. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** The mark of a store: round or square, filled or hollow; `about` shows when one points at it. */
export function mark(style: SubjectStyle | undefined, place: MarkPlace, about: string): Markup {
  const { x, y, radius } = place;
  const classes = `mark ${styleClass(style)}`;
  const title = html`<title>${about}</title>`;
  if ((style?.variant ?? 0) < 2) {
    return html`<circle class="${classes}" cx="${percent(x)}" cy="${pixels(y)}" r="${radius}"
      >${title}</circle
    >`;
  }
  return html`<rect
    class="${classes}"
    x="${percent(x)}"
    y="${pixels(y - radius)}"
    width="${2 * radius}"
    height="${2 * radius}"
    transform="translate(-${radius})"
    >${title}</rect
  >`;
}

/** From the end of a curve to its name, which may stand higher or lower, right of the plot. */
export function leader(x: number, y: number, nameY: number): Markup {
  const across = x < 1 ? line("lead", [x, y], [1, y]) : nothing;
  if (Math.abs(y - nameY) < 2) return across;
  return html`${across}<svg x="100%" overflow="visible">
      <path class="lead" d="M3 ${pixels(y)}L11 ${pixels(nameY)}" />
    </svg>`;
}

/** How a text stands. */
export interface TextPlace {
  readonly kind: string;
  /** Share of the width, and pixels beside it. */
  readonly x: number;
  readonly shift?: number;
  /** Pixels, of the middle of the line. */
  readonly y: number;
  readonly anchor?: "start" | "middle" | "end";
}

/** A text that is centred on its height. */
export function label(
  text: string,
  { kind, x, shift = 0, y, anchor = "start" }: TextPlace,
): Markup {
  return html`<text
    class="${kind}"
    x="${percent(x)}"
    dx="${shift}"
    y="${pixels(y)}"
    dy="0.35em"
    text-anchor="${anchor}"
    >${text}</text
  >`;
}

/** Characters of a name that fit where there is little room, and where there is more. */
const roomFor = { narrow: 16, wide: 28 };

/** A name that is cut where there is no room for it; which of the two shows, the style decides. */
export function nameLabel(name: string, place: TextPlace): Markup {
  const [narrow, wide] = [shorten(name, roomFor.narrow), shorten(name, roomFor.wide)];
  if (narrow === wide) return label(wide, place);
  const of = (text: string, size: string): Markup =>
    label(text, { ...place, kind: `${place.kind} ${size}` });
  return html`${of(narrow, "if-narrow")}${of(wide, "if-wide")}`;
}

/** Without its middle: names of stores differ at their ends. */
export function shorten(name: string, most: number): string {
  const characters = Array.from(plainLine(name));
  if (characters.length <= most) return characters.join("");
  const tail = Math.ceil((most - 1) / 2);
  const head = characters.slice(0, most - 1 - tail).join("");
  return `${head.trimEnd()}…${characters.slice(-tail).join("").trimStart()}`;
}

/** A curve through points in shares of the width and of the height, from above. */
export function curve(
  style: SubjectStyle | undefined,
  points: ReadonlyArray<readonly [x: number, y: number]>,
  height: number,
): Markup {
  if (points.length < 2) return nothing;
  const places = points.map(([x, y]) => `${Math.round(x * 1_000)} ${Math.round(y * 1_000)}`);
  // Paths know no percentages: an inner drawing is stretched over the outer one instead.
  return html`<svg
    width="100%"
    height="${height}"
    viewBox="0 0 1000 1000"
    preserveAspectRatio="none"
    overflow="visible"
  >
    <path
      class="curve ${styleClass(style)}"
      d="M${places.join("L")}"
      vector-effect="non-scaling-stroke"
    />
  </svg>`;
}

function pixels(value: number): number {
  return Number(value.toFixed(1));
}
