import type { EventObject, StoredEvent } from "../../src/index.ts";
import type { Context } from "../context.ts";
import { escapeText, jsonLine } from "./escape.ts";
import { formatTime } from "./format-time.ts";
import { summarizeEvent, typeLabel } from "./summarize-event.ts";
import { cells, fit, padCells } from "./width.ts";

/** Cells for the summary where no terminal sets the width. */
const plainSummaryCells = 160;

/** Prints stored events, a line each: as JSON, or for people as seq, time, type and summary. */
export function eventPrinter(
  { out, style }: Context,
  json: boolean,
): (stored: StoredEvent<EventObject>) => Promise<void> {
  if (json) return (stored) => out.line(jsonLine(stored));
  return ({ seq, ts, event }) => {
    const place = `${String(seq).padStart(6)}  ${formatTime(ts)}`;
    const type = padCells(fit(escapeText(typeLabel(event)), 24), 14);
    const used = cells(place) + cells(type) + 4;
    const room = out.columns === null ? plainSummaryCells : Math.max(10, out.columns - used);
    const summary = fit(escapeText(summarizeEvent(event)), room);
    return out.line(`${style.dim(place)}  ${style.type(type)}  ${summary}`);
  };
}
