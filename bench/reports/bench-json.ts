import type { BenchReport } from "../bench-report.ts";
import { checkReport, knownFormat } from "./report-shape.ts";
import { isObject, mismatch } from "./shape.ts";

/** A report as indented JSON, which {@link parseBenchReport} reads. */
export function benchJson(report: BenchReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/**
 * The report that {@link benchJson} made a text of. Members that are not known are kept.
 *
 * @throws TypeError, in one line, for what is no JSON, no report, or of a newer format. Every member
 * is looked at, so that who has a report needs to check nothing about it.
 */
export function parseBenchReport(json: string): BenchReport {
  const value = parseJson(json);
  if (!isObject(value)) throw mismatch("an object", value, "");
  const { format } = value;
  if (typeof format === "number" && format > knownFormat) {
    throw new TypeError(
      `The bench report has format ${format}, wanted ${knownFormat}: a newer version of the kit reads it`,
    );
  }
  checkReport(value);
  return value;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message quotes the text, whatever it is.
    const met = json.trim() === "" ? "an empty text" : "a text that is none";
    throw new TypeError(`Not a bench report: wanted JSON, met ${met}`);
  }
}
