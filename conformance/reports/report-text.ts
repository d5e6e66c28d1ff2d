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

/** Lines of a failure's message that are shown; JSON and JUnit have all of it. */
const messageLines = 8;

/** A report for a terminal: the level, what keeps the store from the next one, failures, skips, figures. */
export function reportText(report: Report, options: ReportOptions = {}): string {
  const fixture = options.fixture ?? shellWord(report.name);
  const lines = [
    `${report.name}: ${verdictOf(report)}`,
    ...summaryOf(report),
    ...obstacleLines(report),
    ...untestedLines(report),
    ...failuresOf(report).flatMap((one) => ["", ...failureLines(one, report, fixture)]),
    ...section("skip", skipsOf(report)),
    ...section("skip in part", skippedCasesOf(report)),
    ...noteLines(report),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function summaryOf(report: Report): readonly string[] {
  const { counts, assertions, milliseconds, environment } = report;
  const failed = counts.fail + counts.hung + counts.error;
  const outcome = `${counts.pass} held, ${failed} failed, ${counts.skip} skipped`;
  const seconds = (milliseconds / 1_000).toFixed(1);
  return [
    `  ${outcome}; ${assertions.toLocaleString("en-US")} assertions in ${seconds} s`,
    `  suite ${report.suite}, manifest ${report.manifestDigest}, seed ${report.seed}, ` +
      `effort ${report.effort}, Node ${environment.node}, ${environment.system}`,
  ];
}

function obstacleLines(report: Report): readonly string[] {
  const obstacle = obstacleOf(report);
  if (obstacle === null) return [];
  return obstacle.reasons.map((one) => `  not ${obstacle.level}: ${shared(one)}`);
}

function untestedLines({ untested }: Report): readonly string[] {
  if (untested.length === 0) return [];
  return [`  untested: ${untested.join(", ")}: there, but not claimed`];
}

function failureLines(result: ReportedResult, report: Report, fixture: string): readonly string[] {
  const word = { fail: "FAIL", hung: "HUNG", error: "ERROR", pass: "ok", skip: "skip" };
  const lines = result.message.trimEnd().split("\n");
  const more = lines.length - messageLines;
  return [
    `${word[result.outcome]}  ${result.id} ${propertyOf(result).statement}`,
    ...(result.failedCase === null ? [] : [`  ${result.failedCase}`]),
    ...lines.slice(0, messageLines).map((line) => `    ${line}`),
    ...(more > 0 ? [`    … ${more} more lines`] : []),
    `  ${replayCommand(fixture, result, report.effort)}`,
  ];
}

function section(title: string, reasons: readonly SharedReason[]): readonly string[] {
  if (reasons.length === 0) return [];
  return ["", ...reasons.map((one) => `${title}  ${shared(one)}`)];
}

function noteLines({ results }: Report): readonly string[] {
  const notes = results.flatMap(({ id, notes }) => notes.map((note) => `note  ${id}: ${note}`));
  return notes.length === 0 ? [] : ["", ...notes];
}

function shared({ reason, ids }: SharedReason): string {
  return ids.length === 0 ? reason : `${reason}: ${ids.join(", ")}`;
}

/** The outcome of one property in a line, as a run goes on. */
export function resultLine(result: ReportedResult): string {
  const word = result.outcome === "pass" ? "ok" : result.outcome;
  const seconds = `${(result.milliseconds / 1_000).toFixed(1)} s`.padStart(7);
  const about = result.outcome === "skip" ? result.message : propertyOf(result).statement;
  return `${word.padEnd(5)} ${seconds}  ${result.id} ${about}`;
}

/** One line that says how a run ended, for the end of a log. */
export function verdictLine(report: Report): string {
  const failures = failuresOf(report);
  const words = failures.map(({ id, outcome }) => `${id} ${outcomeWords[outcome]}`);
  const { asked, level, name } = report;
  if (words.length > 0) return `${name}: ${words.join(", ")}`;
  return `${name}: wanted ${asked ?? "no level"}, reached ${level ?? "none"}`;
}
