import type { Level } from "../property.ts";
import type { Report } from "../report.ts";
import { propertyOf, type ReportedResult } from "./findings.ts";

/** A report as JSON: the report and what the catalogue says about each of its properties. */
export interface ReportDocument extends Omit<Report, "results"> {
  /** Version of this shape. Members may be added to a version; none is removed or changes its meaning. */
  readonly format: 1;
  readonly results: ReadonlyArray<
    ReportedResult & {
      readonly group: string;
      readonly level: Level;
      /** No level needs it. */
      readonly advisory: boolean;
      readonly statement: string;
    }
  >;
}

/** The document that {@link reportJson} prints. */
export function reportDocument(report: Report): ReportDocument {
  const results = report.results.map((result) => {
    const { group, level, advisory = false, statement } = propertyOf(result);
    return { ...result, group, level, advisory, statement };
  });
  return { format: 1, ...report, results };
}

/** A report as indented JSON; {@link ReportDocument} says what is in it. */
export function reportJson(report: Report): string {
  return `${JSON.stringify(reportDocument(report), null, 2)}\n`;
}
