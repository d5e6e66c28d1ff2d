import { isCheckpointError, type ErrorCode } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { formatCount } from "./output/format-count.ts";
import { complain } from "./report-error.ts";

/**
 * Does `work` for every item. What is wrong with one item is reported at once and does not keep the
 * others from being done; what is wrong with the store does.
 *
 * @param noun - what an item is
 * @throws the failure itself when there is one item, else a CliError that counts the failures and
 * has the exit code of the first
 */
export async function runEach<T>(
  context: Context,
  items: readonly T[],
  noun: string,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (items.length === 1 || !concernsOneItem(error, context)) throw error;
      failures.push(error);
      await complain(context, error);
    }
  }
  if (failures.length === 0) return;
  const count = `${failures.length} of ${formatCount(items.length, noun)}`;
  throw new CliError(exitCodeOf(failures[0]), `${count} failed`);
}

const storeFailures: readonly ErrorCode[] = [
  "BUSY",
  "CLOSED",
  "IO_FAILED",
  "KEY_UNAVAILABLE",
  "OUTCOME_UNKNOWN",
];

function concernsOneItem(error: unknown, { io }: Context): boolean {
  if (io.signal.aborted) return false;
  if (error instanceof CliError) return true;
  return isCheckpointError(error) && !storeFailures.includes(error.code);
}
