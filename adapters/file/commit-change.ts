import { CheckpointError, matchesBase, quote, type Change, type Outcome } from "../../src/index.ts";
import { wrapIoError } from "./io-error.ts";
import { readKeys, type KeyIndex } from "./key-index.ts";
import { headOf, type OpenLog } from "./open-log.ts";
import { encodeRecords } from "./record-line.ts";
import type { ResolvedFileOptions } from "./resolve-options.ts";
import type { Held } from "./session-writer.ts";
import {
  appendToLog,
  keepPrefix,
  placeBatches,
  replaceLog,
  type LogContent,
  whatLanded,
  type LostAppend,
} from "./write-log.ts";

/**
 * One compare-and-change by the session's owner; see `RecordStore.commit`.
 *
 * @returns the outcome, or the append whose owner was replaced while it was written. Then call
 * `resolveLost` as the next owner before trying again
 */
export async function commitChange(
  options: ResolvedFileOptions,
  sessionId: string,
  held: Held,
  { base, keep, batches, mtime }: Change,
): Promise<Outcome | { readonly lost: LostAppend }> {
  const log = await held.log();
  for (const { key } of batches) {
    const known = key === undefined ? undefined : (await keysOf(options, log)).get(key);
    if (key !== undefined && known !== undefined) return { duplicate: { key, ...known } };
  }
  const head = headOf(log);
  if (!matchesBase(head, base)) return { conflict: head };
  const cuts = log !== null && keep !== undefined && keep < log.seq;
  if (batches.length === 0 && !cuts) return { head };
  if (log !== null && !cuts) {
    const lost = await appendToLog(options, held, log, batches, mtime);
    return lost === null ? { head: headOf(log) } : { lost };
  }
  const content = prefixAndBatches(options, log, cuts ? keep : 0, batches);
  const replaced = await replaceLog(options, held, sessionId, content, mtime);
  held.adopt(replaced);
  return { head: headOf(replaced) };
}

/**
 * What became of an append whose owner was replaced, seen from the next owner.
 *
 * @returns its outcome if it landed, null if it did not
 * @throws CheckpointError `OUTCOME_UNKNOWN` when the log was replaced as well
 */
export function resolveLost(
  { port }: ResolvedFileOptions,
  sessionId: string,
  log: OpenLog | null,
  lost: LostAppend,
): Outcome | null {
  if (log?.header.generation !== lost.generation) throw lostOutcome(sessionId);
  const landed = whatLanded(port, log, lost);
  if (landed === "some") throw lostOutcome(sessionId);
  if (landed === "none") return null;
  const { generation, records } = lost;
  const tail = records.at(-1) ?? null;
  return { head: { seq: tail?.seq ?? 0, generation, tail } };
}

/** For an append whose owner was replaced, when it can no longer be looked for. */
export function lostOutcome(sessionId: string, cause?: unknown): CheckpointError {
  return new CheckpointError(
    "OUTCOME_UNKNOWN",
    `Cannot tell whether the append to session ${quote(sessionId)} was applied: another writer ` +
      "took over while it was written",
    cause === undefined ? undefined : { cause: wrapIoError(cause, "change", sessionId) },
  );
}

async function keysOf({ port }: ResolvedFileOptions, log: OpenLog | null): Promise<KeyIndex> {
  if (log === null) return new Map();
  const view = { fd: log.fd, start: log.start, end: log.size, sessionId: log.header.id };
  log.keys ??= await readKeys(port, view);
  return log.keys;
}

async function* prefixAndBatches(
  { port }: ResolvedFileOptions,
  log: OpenLog | null,
  keep: number,
  batches: Change["batches"],
): LogContent {
  if (log !== null) yield* keepPrefix(port, log, keep);
  if (batches.length > 0) yield encodeRecords(placeBatches(log === null ? 0 : keep, batches));
}
