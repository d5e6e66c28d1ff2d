import { Counterexample } from "./assert-property.ts";
import type { Budget, Replay } from "./budget.ts";
import { createCheck, Violation, type Check } from "./check.ts";
import { createContext, type Context } from "./context.ts";
import type { CreateFixture } from "./fixture.ts";
import type { Checkable, Property, Requirement } from "./property.ts";
import { missingOf, type Missing } from "./requirements.ts";
import { withWatchdog, Hung } from "./watchdog.ts";

/** What came of one property. */
export interface PropertyResult {
  readonly id: string;
  readonly outcome: "pass" | "fail" | "skip" | "hung" | "error";
  /** Why it was skipped, or what failed; empty for a pass. */
  readonly message: string;
  /** Whether a skip keeps the store from its level. */
  readonly blocks: boolean;
  /** The case that failed or hung. */
  readonly failedCase: string | null;
  /** Cases that ran and held. */
  readonly cases: number;
  /** Cases that do not apply to this store, with their reasons. */
  readonly skippedCases: ReadonlyArray<{ readonly name: string; readonly reason: string }>;
  readonly assertions: number;
  readonly seed: number;
  /** Where the counterexample is, if generated values found one. */
  readonly replay: Replay | null;
  /** Figures, such as the number of kills. */
  readonly notes: readonly string[];
  readonly milliseconds: number;
  /** What failed, for a machine to show; not part of a report. */
  readonly error?: unknown;
}

/** Whether nothing stands in the way: it held, or it was left out for a reason that blocks nothing. */
export function stands({ outcome, blocks }: PropertyResult): boolean {
  return outcome === "pass" || (outcome === "skip" && !blocks);
}

/** Options of {@link runProperty}, all resolved. */
export interface RunOptions {
  readonly budget: Budget;
  /** Milliseconds after which a case is called hung. Decides nothing else. */
  readonly patience: number;
}

/** What one case is run on. */
export interface Prepared<Needed, Given> {
  readonly context: Given;
  /** What the subject lacks; undefined when nothing. */
  missing(requirements: readonly Needed[]): Missing | undefined;
  /** Figures that the case left. */
  readonly notes: readonly string[];
  dispose(): Promise<void>;
}

/** Runs the cases of a property, each on a fresh store, until one fails. */
export async function runProperty(
  property: Property,
  createFixture: CreateFixture,
  options: RunOptions,
): Promise<PropertyResult> {
  const prepare = async (check: Check): Promise<Prepared<Requirement, Context>> => {
    const context = await createContext(createFixture, options.budget, check);
    const { manifest, fixture, notes } = context;
    return {
      context,
      missing: (requirements) => missingOf(requirements, manifest, fixture),
      notes,
      dispose: () => context.dispose(),
    };
  };
  return runCases(property, prepare, options);
}

/** Runs the cases of a property, each on what `prepare` gives, until one fails. */
export async function runCases<Needed, Given>(
  property: Checkable<Needed, Given>,
  prepare: (check: Check) => Promise<Prepared<Needed, Given>>,
  options: RunOptions,
): Promise<PropertyResult> {
  const check = createCheck();
  const started = performance.now();
  const notes: string[] = [];
  const skippedCases: Array<{ name: string; reason: string }> = [];
  let blocking: Missing | undefined;
  let cases = 0;
  const result = (
    outcome: PropertyResult["outcome"],
    rest: Partial<PropertyResult> = {},
  ): PropertyResult => ({
    id: property.id,
    outcome,
    message: "",
    blocks: false,
    failedCase: null,
    cases,
    skippedCases,
    assertions: check.count,
    seed: options.budget.seed,
    replay: null,
    notes,
    milliseconds: Math.round(performance.now() - started),
    ...rest,
  });
  for (const one of property.cases) {
    let prepared: Prepared<Needed, Given>;
    try {
      prepared = await withWatchdog(() => prepare(check), options.patience);
    } catch (error) {
      const outcome = error instanceof Hung ? "hung" : "error";
      return result(outcome, { message: messageOf(error), failedCase: one.name, error });
    }
    const missing = prepared.missing([...(property.requires ?? []), ...(one.requires ?? [])]);
    if (missing !== undefined) {
      notes.push(...(await disposeOf(prepared)));
      skippedCases.push({ name: one.name, reason: missing.reason });
      if (missing.blocks) blocking = missing;
      continue;
    }
    try {
      await withWatchdog(() => one.run(prepared.context), options.patience);
      cases += 1;
    } catch (error) {
      const outcome = error instanceof Hung ? "hung" : "fail";
      const replay = error instanceof Counterexample ? error.replay : null;
      return result(outcome, { message: messageOf(error), failedCase: one.name, replay, error });
    } finally {
      const left = await disposeOf(prepared);
      notes.push(...prepared.notes, ...left);
    }
  }
  if (cases > 0 && blocking === undefined) return result("pass");
  const reason = blocking?.reason ?? skippedCases[0]?.reason ?? "it has no case";
  return result("skip", { message: reason, blocks: blocking !== undefined });
}

/**
 * A subject that hung or failed may not even let itself be removed; its verdict is in already.
 *
 * @returns what to note about that
 */
async function disposeOf(prepared: { dispose(): Promise<void> }): Promise<string[]> {
  try {
    await withWatchdog(() => prepared.dispose(), 5_000);
    return [];
  } catch (error) {
    return [`the fixture could not be disposed of: ${messageOf(error)}`];
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Violation) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
