import { isCheckpointError, type ErrorCode } from "../src/index.ts";

/** What a changing call says of itself. */
export type CallOutcome = "done" | "not done" | "unknown";

/**
 * Waits for a change and takes its word.
 *
 * @param refusals - codes that say that nothing was changed; any other error is thrown
 */
export async function callOutcome(
  call: Promise<unknown>,
  refusals: readonly ErrorCode[],
): Promise<CallOutcome> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (isCheckpointError(error, "OUTCOME_UNKNOWN")) return "unknown";
    if (refusals.some((code) => isCheckpointError(error, code))) return "not done";
    throw error;
  }
}
