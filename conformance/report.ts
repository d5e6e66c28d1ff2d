import { createHash } from "node:crypto";
import { release, type as system } from "node:os";
import process from "node:process";
import type { Budget } from "./budget.ts";
import type { SubjectDescription } from "./describe-subject.ts";
import { optionalCapabilities, type Manifest } from "./manifest.ts";
import { packageVersion } from "./package-version.ts";
import { levels, type Level, type Requirement } from "./property.ts";
import { properties } from "./properties/index.ts";
import { stands, type PropertyResult } from "./run-property.ts";

/** What came of a run of the suite: plain JSON. */
export interface Report extends RunSummary {
  /** Version of the suite: the kit's. */
  readonly suite: string;
  readonly name: string;
  /** The highest level whose required properties all hold; null when not even L1 does. */
  readonly level: Level | null;
  /** The level that was asked for; null when only some properties were run. */
  readonly asked: Level | null;
  /** Optional capabilities that were claimed and hold. */
  readonly capabilities: readonly string[];
  /** Methods that are there and work, but are not claimed, and so were not tested. */
  readonly untested: readonly string[];
  readonly manifest: Manifest;
  /** SHA-256 of the manifest, 12 hex digits. */
  readonly manifestDigest: string;
}

/** What every report says of the run itself. */
export interface RunSummary {
  readonly environment: { readonly node: string; readonly system: string };
  readonly seed: number;
  readonly effort: number;
  readonly counts: Readonly<Record<PropertyResult["outcome"], number>>;
  readonly assertions: number;
  readonly milliseconds: number;
  readonly results: ReadonlyArray<Omit<PropertyResult, "error">>;
}

/** A run that is over. */
export interface FinishedRun {
  readonly budget: Budget;
  readonly results: readonly PropertyResult[];
  readonly milliseconds: number;
}

/** What a report is made of. */
export interface ReportParts extends FinishedRun, SubjectDescription {
  readonly level: Level | null;
}

/** Sums up the results of a run. */
export function createReport(parts: ReportParts): Report {
  const { name, manifest, untested, level, results } = parts;
  return {
    suite: suiteVersion,
    name,
    level: level === null ? null : levelOf(results, level),
    asked: level,
    capabilities: optionalCapabilities.filter((one) => manifest[one] && holds(results, one)),
    untested,
    manifest,
    manifestDigest: createHash("sha256")
      .update(JSON.stringify(manifest))
      .digest("hex")
      .slice(0, 12),
    ...summarizeRun(parts),
  };
}

/** The part of a report that is about the run. */
export function summarizeRun({ budget, results, milliseconds }: FinishedRun): RunSummary {
  return {
    environment: { node: process.version, system: `${system()} ${release()}` },
    seed: budget.seed,
    effort: budget.effort,
    counts: countOutcomes(results),
    assertions: results.reduce((sum, { assertions }) => sum + assertions, 0),
    milliseconds,
    results: results.map(({ error: _error, ...rest }) => rest),
  };
}

/** How many properties came to which end. */
function countOutcomes(
  results: readonly PropertyResult[],
): Record<PropertyResult["outcome"], number> {
  const counts = { pass: 0, fail: 0, skip: 0, hung: 0, error: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/** Whether nothing that is asked of a capability failed. */
function holds(results: readonly PropertyResult[], capability: Requirement): boolean {
  const asked = properties.filter(({ requires }) => requires?.includes(capability));
  return results.every(
    ({ id, outcome }) =>
      outcome === "pass" || outcome === "skip" || !asked.some((one) => one.id === id),
  );
}

/** The highest level up to `asked` that nothing stands in the way of. */
export function levelOf(results: readonly PropertyResult[], asked: Level): Level | null {
  let reached: Level | null = null;
  for (const level of levels.slice(0, levels.indexOf(asked) + 1)) {
    const required = properties.filter((one) => one.level === level && one.advisory !== true);
    // A level without properties of its own cannot be shown.
    if (required.length === 0) return reached;
    const standing = required.every(({ id }) =>
      results.some((result) => result.id === id && stands(result)),
    );
    if (!standing) return reached;
    reached = level;
  }
  return reached;
}

/** The kit's version, which is the suite's too. */
export const suiteVersion: string = packageVersion();
