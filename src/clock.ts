/** A moment that a change is stamped with. */
export interface Instant {
  /** ISO 8601 in UTC with milliseconds. */
  readonly ts: string;
  /** The same moment in milliseconds since the epoch; its fraction breaks ties. */
  readonly mtime: number;
}

let last = 0;
let lastMillisecond = 0;
let lastText = "";

/**
 * The current moment. `mtime` is strictly increasing within the process, so that changes inside
 * one millisecond keep their order in `list()`. Microseconds are the finest step that a double
 * holds exactly enough at today's dates.
 */
export function now(): Instant {
  const wall = Date.now();
  last = wall > last ? wall : Math.round(last * 1_000 + 1) / 1_000;
  const millisecond = Math.floor(last);
  if (millisecond !== lastMillisecond) {
    lastMillisecond = millisecond;
    lastText = new Date(millisecond).toISOString();
  }
  return { ts: lastText, mtime: last };
}
