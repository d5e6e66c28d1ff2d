import { resultLine } from "../../conformance/reports/report-text.ts";
import { properties } from "../../conformance/properties/index.ts";
import type { Context } from "../context.ts";
import { escapeText } from "../output/escape.ts";
import { createProgress } from "../progress.ts";
import type { SuiteWatcher } from "./run-suite.ts";

/** A watcher that shows a run on standard error. */
export interface SuiteProgress extends SuiteWatcher {
  /** Takes the line off the terminal. */
  readonly end: () => void;
}

/** One line that keeps changing on a terminal; elsewhere a line for each property that has ended. */
export function showSuite({ io }: Context): SuiteProgress {
  const line = createProgress(io);
  const isTerminal = io.stderr.isTTY === true;
  const begun = performance.now();
  let shown = "";
  const show = (): void => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    if (shown !== "") line.show(`${shown.replace("{s}", `${seconds} s`)}`);
  };
  const timer = setInterval(show, 500);
  return {
    onStart(id, number, of) {
      const statement = properties.find((one) => one.id === id)?.statement ?? "";
      shown = `${number}/${of}  {s}  ${id} ${statement}`;
      show();
    },
    onResult(result) {
      if (!isTerminal) io.stderr.write(`${escapeText(resultLine(result))}\n`);
    },
    onOutput(text) {
      line.clear();
      io.stderr.write(text);
    },
    end() {
      clearInterval(timer);
      line.clear();
    },
  };
}
