// What a report says about a peer, for people.

import { levelOf, properties } from "../../dist/conformance/index.js";
import { notInApi } from "./bridge.mjs";

const advisory = new Set(properties.filter((one) => one.advisory).map(({ id }) => id));

/** The verdict on a peer: its level, how many properties came to which end, and why those failed that did. */
export function verdictOf(peer, { report, stray }) {
  const [main] = Object.keys(peer.packages);
  const isMissing = ({ outcome, message }) => outcome !== "pass" && message.includes(notInApi);
  // Bridges read a session whole, so what the advisory properties say of memory would be said of them.
  const required = report.results.filter(({ id }) => !advisory.has(id));
  const results = required.map((result) =>
    isMissing(result) ? { ...result, outcome: "missing", blocks: false } : result,
  );
  const withOutcome = (...outcomes) => results.filter(({ outcome }) => outcomes.includes(outcome));
  // A method that a peer never had keeps it from no level here; the report says that it is missing.
  const forLevel = results.map((result) =>
    result.outcome === "missing" ? { ...result, outcome: "skip" } : result,
  );
  return {
    name: peer.name,
    title: peer.title,
    version: main === undefined ? "" : peer.packages[main],
    level: report.asked === null ? null : levelOf(forLevel, report.asked),
    passed: withOutcome("pass").length,
    failed: withOutcome("fail", "hung", "error").map(({ id, failedCase, message }) => ({
      id,
      failedCase,
      why: firstLine(message),
    })),
    missing: withOutcome("missing").map(({ id }) => id),
    skipped: withOutcome("skip").length,
    stray: stray.length,
    seconds: Math.round(report.milliseconds / 1_000),
  };
}

/** A message on one line, without the words that introduce a comparison, and cut where it gets long. */
function firstLine(message) {
  const line = message
    .replace(/Expected values to be strictly (?:deep-)?equal:/, "")
    .replace("+ actual - expected", "met (+), wanted (-):")
    .replace("... Lines skipped", "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}

/** A table of verdicts, and under it what failed. */
export function describe(verdicts) {
  const header = ["peer", "version", "level", "passed", "failed", "missing", "skipped", "s"];
  const rows = verdicts.map(({ name, version, level, passed, failed, missing, skipped, seconds }) =>
    [name, version, level ?? "-", passed, failed.length, missing.length, skipped, seconds].map(
      String,
    ),
  );
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (row) =>
    row
      .map((cell, column) =>
        column < 3 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join("  ");
  return [line(header), ...rows.map(line), ...verdicts.flatMap(describeFailures)].join("\n");
}

function describeFailures({ title, version, failed, missing, stray }) {
  const lines = failed.map(({ id, failedCase, why }) => `  ${id} ${failedCase}: ${why}`);
  if (missing.length > 0) lines.push(`  ${missing.join(", ")}: ${notInApi}`);
  if (stray > 0) lines.push(`  ${stray} errors that no caller could catch`);
  return lines.length === 0 ? [] : ["", `${title} ${version}`.trim(), ...lines];
}
