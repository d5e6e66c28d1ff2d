import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { isCheckpointError } from "../../src/index.ts";
import { prepareStore } from "./scenarios.ts";
import { runStep, type Step, type TestEvent } from "./script.ts";
import { stateOf, stateText, type StoreState } from "./store-state.ts";

/** What a caller heard. */
export type Answer = number | string | null;

/** Runs a step and makes its outcome comparable. */
export async function answerOf(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    return isCheckpointError(error) ? error.code : `UNTYPED ${String(error)}`;
  }
}

/** What a store holds, and what its callers heard, when the steps run in this order. */
export async function simulate(
  steps: readonly Step[],
): Promise<{ state: StoreState; answers: readonly Answer[] }> {
  const model = memoryCheckpointer<TestEvent>();
  await prepareStore(model);
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await answerOf(() => runStep(model, step)));
  return { state: await stateOf(model), answers };
}

/**
 * Every outcome that is allowed for a late step beside a rival's steps, as comparable texts: the
 * late one took effect before, between or after the others; or, when it failed, not at all.
 */
export async function allowedOutcomes(
  late: Step,
  rival: readonly Step[],
  answer: Answer,
): Promise<string[]> {
  const allowed: string[] = [];
  if (typeof answer === "string") {
    const { state, answers } = await simulate(rival);
    allowed.push(outcomeText(state, answers, answer));
    if (answer !== "OUTCOME_UNKNOWN") return allowed;
  }
  for (let position = 0; position <= rival.length; position += 1) {
    const order = rival.toSpliced(position, 0, late);
    const { state, answers } = await simulate(order);
    const heard = answer === "OUTCOME_UNKNOWN" ? answer : (answers[position] ?? null);
    allowed.push(outcomeText(state, answers.toSpliced(position, 1), heard));
  }
  return allowed;
}

/** An outcome in a form that can be compared and that a failed test can show. */
export function outcomeText(state: StoreState, rival: readonly Answer[], late: Answer): string {
  return `${stateText(state)} rival heard ${JSON.stringify(rival)}, late one ${late}`;
}
