import type { Report } from "../report.ts";
import { escapeXml } from "./escape-xml.ts";
import { propertyOf, type ReportedResult } from "./findings.ts";

/**
 * A report as JUnit XML, which every CI shows: a suite for each group, a test for each property.
 *
 * @see https://github.com/testmoapp/junitxml for the elements that tools agree on
 */
export function reportJunit(report: Report): string {
  const groups = [...new Set(report.results.map((result) => propertyOf(result).group))];
  const suites = groups.map((group) => {
    return suiteOf(
      group,
      report,
      report.results.filter((result) => propertyOf(result).group === group),
    );
  });
  const name = `${report.name} conformance`;
  const all = attributes({ name, ...countsOf(report.results), time: seconds(report.milliseconds) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${all}>\n${suites.join("")}</testsuites>\n`;
}

function suiteOf(group: string, report: Report, results: readonly ReportedResult[]): string {
  const milliseconds = results.reduce((sum, one) => sum + one.milliseconds, 0);
  const own = attributes({ name: group, ...countsOf(results), time: seconds(milliseconds) });
  const properties = [
    ["suite", report.suite],
    ["level", report.level ?? "none"],
    ["manifest", report.manifestDigest],
    ["seed", String(report.seed)],
  ].map(([name, value]) => `      <property${attributes({ name, value })}/>\n`);
  const tests = results.map((result) => testOf(group, report, result));
  return (
    `  <testsuite${own}>\n    <properties>\n${properties.join("")}    </properties>\n` +
    `${tests.join("")}  </testsuite>\n`
  );
}

function testOf(group: string, { name }: Report, result: ReportedResult): string {
  const { statement } = propertyOf(result);
  const own = attributes({
    name: `${result.id} ${statement}`,
    classname: `${name}.${group}`,
    assertions: String(result.assertions),
    time: seconds(result.milliseconds),
  });
  const inside = outcomeOf(result);
  return inside === "" ? `    <testcase${own}/>\n` : `    <testcase${own}>${inside}</testcase>\n`;
}

function outcomeOf({ outcome, message, failedCase }: ReportedResult): string {
  if (outcome === "pass") return "";
  if (outcome === "skip") return `<skipped${attributes({ message })}/>`;
  const element = outcome === "error" ? "error" : "failure";
  const [first = ""] = message.split("\n");
  const where = failedCase === null ? "" : `${failedCase}\n`;
  const own = attributes({ message: first, type: outcome });
  return `<${element}${own}>${escapeXml(where + message)}</${element}>`;
}

function countsOf(results: readonly ReportedResult[]): Record<string, string> {
  const count = (...outcomes: ReadonlyArray<ReportedResult["outcome"]>): string =>
    String(results.filter(({ outcome }) => outcomes.includes(outcome)).length);
  return {
    tests: String(results.length),
    failures: count("fail", "hung"),
    errors: count("error"),
    skipped: count("skip"),
  };
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(value ?? "")}"`)
    .join("");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
