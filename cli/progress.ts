import type { Io } from "./context.ts";
import { escapeText } from "./output/escape.ts";
import { fit } from "./output/width.ts";

/** One line on a terminal that keeps changing. Nothing at all where there is no terminal. */
export interface Progress {
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

const refreshMs = 100;
const clearLine = "\r\u001b[K";

export function createProgress({ stderr, env }: Io): Progress {
  if (stderr.isTTY !== true || env["TERM"] === "dumb") {
    return { show: () => undefined, clear: () => undefined };
  }
  let shownAt = 0;
  let shown = false;
  return {
    show(text) {
      const now = performance.now();
      if (shown && now - shownAt < refreshMs) return;
      shownAt = now;
      shown = true;
      stderr.write(`${clearLine}${fit(escapeText(text), (stderr.columns || 80) - 1)}`);
    },
    clear() {
      if (shown) stderr.write(clearLine);
      shown = false;
    },
  };
}
