import type { Report } from "../report.ts";
import {
  failuresOf,
  obstacleOf,
  outcomeWords,
  propertyOf,
  skippedCasesOf,
  skipsOf,
  verdictOf,
  type ReportedResult,
  type SharedReason,
} from "./findings.ts";
import { replayCommand, shellWord, type ReportOptions } from "./replay-command.ts";

/** Characters of a failure's message that are shown: a comment holds 65,536, and there may be several. */
const messageCharacters = 2_000;

/** A report for a pull request: the level, a table of groups, failures, skips. */
export function reportMarkdown(report: Report, options: ReportOptions = {}): string {
  const fixture = options.fixture ?? shellWord(report.name);
  const { environment, counts, assertions, milliseconds } = report;
  const figures =
    `Suite ${report.suite}, manifest \`${report.manifestDigest}\`, seed ${report.seed}, effort ${report.effort}, ` +
    `Node ${inline(environment.node)}, ${inline(environment.system)}: ` +
    `${report.results.length} properties, ${counts.pass} held, ` +
    `${assertions.toLocaleString("en-US")} assertions in ${(milliseconds / 1_000).toFixed(1)} s.`;
  return [
    `## ${inline(report.name)}: ${inline(verdictOf(report))}`,
    figures,
    ...obstacleParts(report),
    tableOf(report),
    ...failuresOf(report).map((result) => failureOf(result, report, fixture)),
    ...listOf("Skipped", skipsOf(report)),
    ...listOf("Skipped in part", skippedCasesOf(report)),
    ...listOf("Untested", untestedOf(report)),
  ]
    .join("\n\n")
    .concat("\n");
}

function obstacleParts(report: Report): readonly string[] {
  const obstacle = obstacleOf(report);
  if (obstacle === null) return [];
  const reasons = obstacle.reasons.map(shared).join("; ");
  return [`Not ${obstacle.level}: ${reasons}.`];
}

function tableOf({ results }: Report): string {
  const groups = [...new Set(results.map((result) => propertyOf(result).group))];
  const rows = groups.map((group) => {
    const own = results.filter((result) => propertyOf(result).group === group);
    const count = (...outcomes: ReadonlyArray<ReportedResult["outcome"]>): number =>
      own.filter(({ outcome }) => outcomes.includes(outcome)).length;
    return `| ${group} | ${count("pass")} | ${count("fail", "hung", "error")} | ${count("skip")} |`;
  });
  return ["| group | held | failed | skipped |", "| --- | --: | --: | --: |", ...rows].join("\n");
}

function failureOf(result: ReportedResult, report: Report, fixture: string): string {
  const { id, message, failedCase, outcome } = result;
  const where = failedCase === null ? "" : ` in ${inline(failedCase)}`;
  return [
    `### ${id} ${inline(propertyOf(result).statement)}`,
    `${outcomeWords[outcome]}${where}:`,
    fenced(message.slice(0, messageCharacters)),
    fenced(replayCommand(fixture, result, report.effort), "sh"),
  ].join("\n\n");
}

function untestedOf({ untested }: Report): readonly SharedReason[] {
  return untested.length === 0 ? [] : [{ reason: "there, but not claimed", ids: untested }];
}

function listOf(title: string, reasons: readonly SharedReason[]): readonly string[] {
  if (reasons.length === 0) return [];
  return [`${title}:\n\n${reasons.map((one) => `- ${shared(one)}`).join("\n")}`];
}

function shared({ reason, ids }: SharedReason): string {
  return ids.length === 0 ? inline(reason) : `${inline(reason)} (${ids.join(", ")})`;
}

/** Text that means itself inside a line. */
function inline(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>|&#~]/g, String.raw`\$&`);
}

/** A code block whose fence is longer than any run of backticks inside. */
function fenced(text: string, language = ""): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
