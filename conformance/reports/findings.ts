import { levels, type Level, type Property } from "../property.ts";
import { properties } from "../properties/index.ts";
import { ceilingOf } from "../reachable-level.ts";
import type { Report } from "../report.ts";

/** One result of a report. */
export type ReportedResult = Report["results"][number];

/** Several properties about which the same is to be said. */
export interface SharedReason {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** What the catalogue says about a reported property. */
export function propertyOf({ id }: { readonly id: string }): Property {
  const found = properties.find((one) => one.id === id);
  if (found === undefined) throw new RangeError(`There is no property ${id}`);
  return found;
}

/** What did not hold: failed, hung, or could not be run for an error of the fixture. */
export function failuresOf({ results }: Report): readonly ReportedResult[] {
  return results.filter(({ outcome }) => ["fail", "hung", "error"].includes(outcome));
}

/** Why properties were skipped, most of them first. */
export function skipsOf({ results }: Report): readonly SharedReason[] {
  const skipped = results.filter(({ outcome }) => outcome === "skip");
  return byReason(skipped.map(({ id, message }) => ({ id, reason: message })));
}

/** Cases that do not apply, of properties that were shown with others. */
export function skippedCasesOf({ results }: Report): readonly SharedReason[] {
  return byReason(
    results
      .filter(({ outcome }) => outcome !== "skip")
      .flatMap(({ id, skippedCases }) => skippedCases.map(({ reason }) => ({ id, reason }))),
  );
}

/** What keeps a store from the level above the one it reached. */
export interface Obstacle {
  readonly level: Level;
  readonly reasons: readonly SharedReason[];
}

/** Why the level above the one that was reached is not reached; null for the highest, or no levels. */
export function obstacleOf(report: Report): Obstacle | null {
  const { asked, level: reached, results, manifest } = report;
  const level = levels[reached === null ? 0 : levels.indexOf(reached) + 1];
  if (asked === null || level === undefined) return null;
  const ceiling = ceilingOf(manifest);
  if (levels.indexOf(level) > levels.indexOf(ceiling.level)) return because(level, ceiling.reason);
  const required = properties.filter((one) => one.level === level && one.advisory !== true);
  if (required.length === 0) return because(level, "this suite has no property of that level");
  if (levels.indexOf(level) > levels.indexOf(asked)) return because(level, "it was not asked for");
  const standing = results.filter(
    ({ id, outcome, blocks }) =>
      outcome !== "pass" && (outcome !== "skip" || blocks) && required.some((one) => one.id === id),
  );
  const reasons = standing.map(({ id, outcome, message }) => ({
    id,
    reason: outcome === "skip" ? message : outcomeWords[outcome],
  }));
  return { level, reasons: byReason(reasons) };
}

/** How a report words an outcome. */
export const outcomeWords: Readonly<Record<ReportedResult["outcome"], string>> = {
  pass: "held",
  fail: "failed",
  skip: "skipped",
  hung: "hung",
  error: "fixture error",
};

/** `L3 · truncate, range`, or what there is to say in its place. */
export function verdictOf({ level, asked, capabilities, counts }: Report): string {
  if (asked === null) return counts.fail + counts.hung + counts.error > 0 ? "failed" : "no level";
  if (level === null) return "not certified";
  return capabilities.length === 0 ? level : `${level} · ${capabilities.join(", ")}`;
}

function because(level: Level, reason: string): Obstacle {
  return { level, reasons: [{ reason, ids: [] }] };
}

function byReason(
  items: ReadonlyArray<{ readonly id: string; readonly reason: string }>,
): readonly SharedReason[] {
  const ids = new Map<string, Set<string>>();
  for (const { id, reason } of items) ids.set(reason, (ids.get(reason) ?? new Set()).add(id));
  return [...ids]
    .map(([reason, of]) => ({ reason, ids: [...of] }))
    .sort((a, b) => b.ids.length - a.ids.length);
}
