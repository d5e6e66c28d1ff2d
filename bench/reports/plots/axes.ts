import { html, type Markup } from "../page/markup.ts";
import { label, line } from "./drawing.ts";

/** A mark at an axis. */
export interface Tick {
  /** Share of the axis' length. */
  readonly at: number;
  readonly text: string;
}

/** Lines across the plot, from its left axis, with their texts left of it. */
export function leftAxis(ticks: readonly Tick[], height: number): Markup {
  const marks = ticks.map(({ at, text }) => {
    const y = height * (1 - at);
    return html`${line("grid", [0, y], [1, y])}${label(text, { kind: "tick", x: 0, shift: -8, y, anchor: "end" })}`;
  });
  return html`${marks}`;
}

/** Lines from top to bottom, with their texts below. */
export function bottomAxis(ticks: readonly Tick[], height: number, top = 0): Markup {
  const marks = ticks.map(({ at, text }) => {
    const place = { kind: "tick", x: at, y: height + 14, anchor: "middle" } as const;
    return html`${line("grid", [at, top], [at, height])}${label(text, place)}`;
  });
  return html`${marks}`;
}
