import { pinnedSeed, type Budget, type Replay } from "./budget.ts";
import { describeSubject } from "./describe-subject.ts";
import type { CreateFixture } from "./fixture.ts";
import { levels, type Level, type Property } from "./property.ts";
import { properties as everyProperty } from "./properties/index.ts";
import { createReport, type Report } from "./report.ts";
import { runProperty, type PropertyResult } from "./run-property.ts";

/** Options of {@link certify}. */
export interface CertifyOptions {
  /** The highest level whose properties are run. Default L4: all of them. */
  readonly level?: Level | undefined;
  /** Run these alone, by id; no level is given then. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Seed of everything generated. Default: a pinned one, the same for everybody. */
  readonly seed?: number | undefined;
  /** Multiplies the number of generated runs. Default 1. */
  readonly effort?: number | undefined;
  /** Milliseconds after which a case is called hung. Default 120,000. */
  readonly patience?: number | undefined;
  /** Leads back to one counterexample; with `only` and the seed that found it. */
  readonly replay?: Replay | undefined;
  /** Called before and after each property. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Where a run is. */
export interface Progress {
  readonly property: Property;
  /** 1-based. */
  readonly number: number;
  readonly of: number;
  /** Absent while the property runs. */
  readonly result?: PropertyResult;
}

/**
 * Runs the suite over a store and says how far it can be trusted.
 *
 * @param createFixture - called for each case; see `Fixture`
 * @returns a report; a failed property is a result, not an exception
 * @throws whatever `createFixture` or `open` throws when the first store is made; a RangeError for an
 * unknown id in `only`
 */
export async function certify(
  createFixture: CreateFixture,
  options: CertifyOptions = {},
): Promise<Report> {
  const { level = "L4", only } = options;
  const started = performance.now();
  const budget = budgetOf(options);
  const chosen = choose(level, only);
  const subject = await describeSubject(createFixture, budget);
  const results = await runAll(chosen, createFixture, options);
  return createReport({
    ...subject,
    level: only === undefined ? level : null,
    budget,
    results,
    milliseconds: Math.round(performance.now() - started),
  });
}

/**
 * The middle of {@link certify}: the results alone, for whoever has asked the store who it is and makes
 * a report of its own.
 */
export function runSuite(
  createFixture: CreateFixture,
  options: CertifyOptions = {},
): Promise<PropertyResult[]> {
  return runAll(choose(options.level ?? "L4", options.only), createFixture, options);
}

async function runAll(
  chosen: readonly Property[],
  createFixture: CreateFixture,
  options: CertifyOptions,
): Promise<PropertyResult[]> {
  const { patience = 120_000, onProgress } = options;
  const budget = budgetOf(options);
  const results: PropertyResult[] = [];
  for (const [index, property] of chosen.entries()) {
    const progress = { property, number: index + 1, of: chosen.length };
    onProgress?.(progress);
    const result = await runProperty(property, createFixture, { budget, patience });
    onProgress?.({ ...progress, result });
    results.push(result);
  }
  return results;
}

function budgetOf({ seed = pinnedSeed, effort = 1, replay }: CertifyOptions): Budget {
  return { seed, effort, replay };
}

function choose(level: Level, only: readonly string[] | undefined): readonly Property[] {
  if (only === undefined) {
    return everyProperty.filter((one) => levels.indexOf(one.level) <= levels.indexOf(level));
  }
  const unknown = only.find((id) => !everyProperty.some((one) => one.id === id));
  if (unknown !== undefined) throw new RangeError(`There is no property ${unknown}`);
  return everyProperty.filter((one) => only.includes(one.id));
}
