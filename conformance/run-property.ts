import type { Budget } from "./budget.ts";
import { createCheck, Violation } from "./check.ts";
import { createContext, type OwnedContext } from "./context.ts";
import type { CreateFixture } from "./fixture.ts";
import type { Case, Property, Requirement } from "./property.ts";
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
  /** Figures, such as the number of kills. */
  readonly notes: readonly string[];
  readonly milliseconds: number;
  /** What failed, for a machine to show; not part of a report. */
  readonly error?: unknown;
}

/** Options of {@link runProperty}, all resolved. */
export interface RunOptions {
  readonly budget: Budget;
  /** Milliseconds after which a case is called hung. Decides nothing else. */
  readonly patience: number;
}

/** Runs the cases of a property, each on a fresh store, until one fails. */
export async function runProperty(
  property: Property,
  createFixture: CreateFixture,
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
    notes,
    milliseconds: Math.round(performance.now() - started),
    ...rest,
  });
  for (const one of property.cases) {
    let context: OwnedContext;
    try {
      context = await createContext(createFixture, options.budget, check);
    } catch (error) {
      return result("error", { message: messageOf(error), failedCase: one.name, error });
    }
    const missing = missingOf(requirementsOf(property, one), context.manifest, context.fixture);
    if (missing !== undefined) {
      await context.dispose();
      skippedCases.push({ name: one.name, reason: missing.reason });
      if (missing.blocks) blocking = missing;
      continue;
    }
    try {
      await withWatchdog(() => one.run(context), options.patience);
      cases += 1;
    } catch (error) {
      const outcome = error instanceof Hung ? "hung" : "fail";
      return result(outcome, { message: messageOf(error), failedCase: one.name, error });
    } finally {
      await disposeOf(context);
      notes.push(...context.notes);
    }
  }
  if (cases > 0 && blocking === undefined) return result("pass");
  const reason = blocking?.reason ?? skippedCases[0]?.reason ?? "it has no case";
  return result("skip", { message: reason, blocks: blocking !== undefined });
}

function requirementsOf(property: Property, { requires = [] }: Case): readonly Requirement[] {
  return [...(property.requires ?? []), ...requires];
}

/** A store that hung or failed may not even let itself be removed; its verdict is in already. */
async function disposeOf(context: OwnedContext): Promise<void> {
  try {
    await withWatchdog(() => context.dispose(), 5_000);
  } catch (error) {
    context.note(`the fixture could not be disposed of: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Violation) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
