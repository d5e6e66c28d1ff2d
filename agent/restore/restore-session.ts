import {
  newGeneration,
  type Checkpointer,
  type RestoreStartedEvent,
  type StoredEvent,
} from "../../src/index.ts";
import { AgentError } from "../agent-error.ts";
import type { SessionLog } from "../session-log.ts";
import { finishCut, finishInterruptedCut, newBranchId } from "./finish-cut.ts";
import { planFiles, type FileStep } from "./plan-restore.ts";
import { recordFiles } from "./record-files.ts";
import { outcomeOf } from "./restore-outcome.ts";
import { refuseProblems, stillOpen, throwProblems } from "./restore-problems.ts";
import {
  readHistory,
  type FileHistory,
  type Place,
  type SessionHistory,
} from "./session-history.ts";
import { settleWork } from "./settle-work.ts";
import { snapshotReader } from "./snapshot-reader.ts";
import { removeTemporaries, swapFiles, type Swap } from "./swap-files.ts";

/** What a restore puts back. */
export interface RestoreOptions {
  /** Files that tools changed since. Default true. */
  readonly files?: boolean | undefined;
  /** The conversation. Default true. */
  readonly conversation?: boolean | undefined;
  /** Overwrite files that somebody else changed since; what they hold is in the branch. Default false. */
  readonly force?: boolean | undefined;
  /** Keep what is cut off as a session of its own, with which one can go forward again. Default true. */
  readonly keep?: boolean | undefined;
  /** Until the conversation is cut an abort puts everything back as it was. */
  readonly signal?: AbortSignal | undefined;
}

/** What a restore did, and what it did not. */
export interface RestoreResult {
  /** Files that were changed, relative to the working directory. */
  readonly restoredFiles: readonly string[];
  /** Files that were as they should be already. */
  readonly unchangedFiles: readonly string[];
  readonly conversationRestored: boolean;
  /** The session that keeps what was cut off; null when nothing was, or it was not to be kept. */
  readonly branchId: string | null;
}

/** Where a restore happens. */
export interface RestorePlace {
  readonly checkpointer: Checkpointer;
  /** Absolute, without symbolic links. */
  readonly workdir: string;
  readonly sessionId: string;
  /** Called with each event that a restore appends. */
  readonly onEvent?: ((stored: StoredEvent) => void) | undefined;
}

/**
 * Takes a session's files and conversation back to just before a checkpoint. Checks everything before it touches
 * anything; then its intent is durable, the files are swapped, and the conversation is cut last. What a crash
 * interrupts stays open in the session, and the next restore goes on from there, for example the one that `resume`
 * makes. Of several that do so at once one goes on, and the others get a conflict.
 *
 * @throws AgentError `NOT_A_CHECKPOINT`, `UNFINISHED_TOOL_CALLS`
 * @throws RestoreError `RESTORE_REFUSED`: nothing was touched; `RESTORE_FAILED`: everything was put back, or the
 * message says that the restore is still open
 * @throws CheckpointConflictError when somebody else changed the session; everything was put back, unless they took
 * the restore over
 */
export async function restoreSession(
  place: RestorePlace,
  targetSeq: number,
  options: RestoreOptions,
): Promise<RestoreResult> {
  const { files = true, conversation = true, force = false, keep = true, signal } = options;
  const { checkpointer, workdir, sessionId } = place;
  if (!files && !conversation) {
    throw new TypeError("Restore: wanted files or conversation or both, met neither");
  }
  const session = await openSettled(place, targetSeq, conversation, signal);
  const { log, filesSince } = session;
  const history = files ? filesSince(targetSeq) : new Map<string, FileHistory>();
  const plan = await planFiles(workdir, history, force);
  refuseProblems(plan.problems);
  signal?.throwIfAborted();

  const attempts = [...log.state.openRestores];
  const [first] = attempts;
  if (!conversation && first === undefined && plan.steps.length === 0) {
    const nothing = { restoredFiles: [], conversationRestored: false, branchId: null };
    return { ...nothing, unchangedFiles: plan.unchanged };
  }
  const recorded = first === undefined ? null : filesSince(first.firstSnapshotSeq);
  const missing = plan.steps.filter((step) => !isRecorded(step, recorded));
  const recordedAt = await recordFiles(log, missing);
  const workId = newGeneration().slice(0, 16);
  const branchId = conversation ? newBranchId(sessionId) : null;
  const started: RestoreStartedEvent = {
    type: "restore_started",
    targetSeq,
    files,
    conversation,
    // Before the first attempt files were as they were.
    firstSnapshotSeq: first?.firstSnapshotSeq ?? recordedAt,
    branchId,
    keep,
    workId,
  };
  // From here on no other process appends anything without knowing of this restore.
  await log.append([started]);
  await clearAttempts(place, session, attempts);

  const names = new Set([
    ...(recorded?.keys() ?? []),
    ...plan.steps.map((step) => step.place.name),
  ]);
  const restoredFiles = [...names];
  const swap = await swapRecorded(place, plan.steps, workId, signal);
  try {
    if (signal?.aborted !== true) throwProblems(swap.problems);
    signal?.throwIfAborted();
    if (branchId === null) {
      await log.append([
        { type: "restored", targetSeq, restoredFiles, conversationRestored: false },
      ]);
    } else {
      await checkpointer.fork(sessionId, log.state.head, branchId);
      await checkpointer.truncate(sessionId, targetSeq - 1, log.token);
    }
  } catch (error) {
    await settleFailure(place, log, started, attempts.length > 0, swap, error);
  }
  if (branchId === null) await removeTemporaries(workdir, history.keys(), workId);
  else await finishCut(place, started, branchId, files ? history : filesSince(targetSeq));
  return {
    restoredFiles,
    unchangedFiles: plan.unchanged.filter((name) => !names.has(name)),
    conversationRestored: conversation,
    branchId: keep ? branchId : null,
  };
}

async function swapRecorded(
  { checkpointer, workdir, sessionId }: RestorePlace,
  steps: readonly FileStep[],
  workId: string,
  signal: AbortSignal | undefined,
): Promise<Swap> {
  await using snapshots = snapshotReader(checkpointer, sessionId);
  return await swapFiles(workdir, steps, ({ target }) => snapshots.read(target), workId, signal);
}

/** Reads a session and settles what is open in it, except a restore: that is what the next one goes on with. */
async function openSettled(
  place: RestorePlace,
  targetSeq: number,
  conversation: boolean,
  signal: AbortSignal | undefined,
): Promise<SessionHistory> {
  const { checkpointer, workdir, sessionId, onEvent } = place;
  const open = (): Promise<SessionHistory> =>
    readHistory(checkpointer, sessionId, { signal, onEvent });
  let session = await open();
  requireTarget(session.places, targetSeq, conversation);
  if (session.log.state.openRestores.length > 0) return session;
  if (await finishInterruptedCut(place, session.log.state.head)) session = await open();
  await settleWork(checkpointer, workdir, session.log);
  return session;
}

function requireTarget(places: readonly Place[], seq: number, conversation: boolean): void {
  const target = places.find((place) => place.seq === seq);
  if (target === undefined) {
    throw new AgentError(
      "NOT_A_CHECKPOINT",
      `Cannot restore to ${String(seq)}: wanted the seq of a checkpoint, see listCheckpoints()`,
    );
  }
  if (!conversation || !target.unfinishedToolCalls) return;
  throw new AgentError(
    "UNFINISHED_TOOL_CALLS",
    `Cannot restore to ${seq}: tool calls before it have no result there`,
  );
}

/** Whether earlier attempts recorded the file as it is now. */
function isRecorded(
  { place, current }: FileStep,
  recorded: ReadonlyMap<string, FileHistory> | null,
): boolean {
  return recorded?.get(place.name)?.lastHashes.includes(current?.hash ?? null) === true;
}

/** Removes what interrupted attempts left beside files and in the store. */
async function clearAttempts(
  { checkpointer, workdir }: RestorePlace,
  { filesSince }: SessionHistory,
  attempts: readonly RestoreStartedEvent[],
): Promise<void> {
  for (const { targetSeq, workId, branchId } of attempts) {
    await removeTemporaries(workdir, filesSince(targetSeq).keys(), workId);
    // All of it is in the session still.
    if (branchId !== null) await checkpointer.delete(branchId);
  }
}

/**
 * After a failure: goes on if the restore is done all the same, and otherwise puts the files back and says so in the
 * log. Where that is not possible the restore stays open, and the next resume finishes it.
 *
 * @param isResumed - the files were half restored when this began, so that putting them back would leave them so
 */
async function settleFailure(
  { checkpointer }: RestorePlace,
  log: SessionLog,
  started: RestoreStartedEvent,
  isResumed: boolean,
  swap: Swap,
  cause: unknown,
): Promise<void> {
  const outcome = await outcomeOf(checkpointer, log, started);
  if (outcome === "done") return;
  if (outcome === "unknown") throw stillOpen(swap.problems, cause);
  // Somebody else moves the same files now, and tells how that ends.
  if (outcome === "taken") await log.append([]);
  await swap.undo();
  if (started.branchId !== null) await checkpointer.delete(started.branchId).catch(() => undefined);
  const isBack = !isResumed && swap.problems.every(({ reason }) => reason !== "left");
  if (!isBack || !(await tellNothing(checkpointer, log, started))) {
    throw stillOpen(swap.problems, cause);
  }
  throwProblems(swap.problems, cause);
  throw cause;
}

/** Says in the log that nothing was restored, also behind what somebody else appended meanwhile. */
async function tellNothing(
  checkpointer: Checkpointer,
  { sessionId }: SessionLog,
  { targetSeq }: RestoreStartedEvent,
): Promise<boolean> {
  const nothing = { restoredFiles: [], conversationRestored: false };
  try {
    await checkpointer.append(sessionId, [{ type: "restored", targetSeq, ...nothing }]);
    return true;
  } catch {
    return false;
  }
}
