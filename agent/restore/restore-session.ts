import {
  newGeneration,
  quote,
  type Checkpointer,
  type FileSnapshotEvent,
  type RestoredEvent,
  type RestoreStartedEvent,
} from "../../src/index.ts";
import { AgentError, RestoreError, type RestoreProblem } from "../agent-error.ts";
import { agentLimits } from "../agent-limits.ts";
import type { SessionLog } from "../session-log.ts";
import { imageOf } from "../workspace/file-image.ts";
import { readFileState } from "../workspace/file-state.ts";
import { finishCut, newBranchId } from "./finish-cut.ts";
import { planFiles, type FilePlan, type FileStep } from "./plan-restore.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { readHistory, type FileHistory, type Place } from "./session-history.ts";
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
  /** Of the session; of no use afterwards, because the history behind it is another one. */
  readonly log: SessionLog;
}

/**
 * Takes a session's files and conversation back to just before a checkpoint. Checks everything before it touches
 * anything; then its intent is durable, the files are swapped, and the conversation is cut last. A crash in
 * between is finished by the next restore to the same place, which `resume` makes.
 *
 * @throws AgentError `NOT_A_CHECKPOINT`, `UNFINISHED_TOOL_CALLS`
 * @throws RestoreError `RESTORE_REFUSED`: nothing was touched; `RESTORE_FAILED`: everything was put back
 * @throws CheckpointConflictError when somebody else changed the session; everything was put back
 */
export async function restoreSession(
  place: RestorePlace,
  targetSeq: number,
  options: RestoreOptions,
): Promise<RestoreResult> {
  const { files = true, conversation = true, force = false, keep = true, signal } = options;
  const { checkpointer, workdir, log } = place;
  const { sessionId } = log;
  if (!files && !conversation) {
    throw new TypeError("Restore: wanted files or conversation or both, met neither");
  }
  const { places, filesSince } = await readHistory(checkpointer, sessionId, signal);
  requireTarget(places, targetSeq, conversation);
  const history = files ? filesSince(targetSeq) : new Map<string, FileHistory>();
  const plan = await planFiles(workdir, history, force);
  refuseProblems(plan.problems);

  const interrupted = log.state.openRestore;
  const workId = interrupted?.workId ?? newGeneration().slice(0, 16);
  // An earlier attempt's, also beside files that are as they should be.
  if (interrupted !== null) await removeTemporaries(workdir, history.keys(), workId);
  signal?.throwIfAborted();
  const { unchanged: unchangedFiles } = plan;
  if (!conversation && plan.steps.length === 0 && interrupted === null) {
    return { restoredFiles: [], unchangedFiles, conversationRestored: false, branchId: null };
  }

  const firstSnapshotSeq = await recordFiles(log, plan.steps);
  const branchId = conversation ? newBranchId(sessionId) : null;
  // An earlier attempt may have made its branch already; all of it is in the session still.
  if (interrupted?.branchId != null) await checkpointer.delete(interrupted.branchId);
  const started: RestoreStartedEvent = {
    type: "restore_started",
    targetSeq,
    files,
    conversation,
    firstSnapshotSeq,
    branchId,
    keep,
    workId,
  };
  await log.append([started]);

  const bytes = ({ target }: FileStep): Promise<Uint8Array> =>
    readSnapshot(checkpointer, sessionId, target);
  const swap = await swapFiles(workdir, plan.steps, bytes, workId, signal);
  try {
    if (signal?.aborted !== true) throwProblems(swap.problems);
    signal?.throwIfAborted();
    if (branchId === null) await log.append([restored(started, plan)]);
    else await cut(place, started, branchId);
  } catch (error) {
    await takeBack(place, swap, started);
    // They also name what could not be put back.
    throwProblems(swap.problems, error);
    throw error;
  }
  if (branchId === null) await removeTemporaries(workdir, history.keys(), workId);
  else {
    const all = files ? history : filesSince(targetSeq);
    await finishCut({ checkpointer, workdir, sessionId }, started, branchId, all);
  }
  return {
    restoredFiles: plan.steps.map((step) => step.place.name),
    unchangedFiles,
    conversationRestored: conversation,
    branchId: keep ? branchId : null,
  };
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

function refuseProblems(problems: readonly RestoreProblem[]): void {
  if (problems.length === 0) return;
  const message = `Nothing was restored, ${listed(problems)}`;
  throw new RestoreError("RESTORE_REFUSED", message, problems);
}

function throwProblems(problems: readonly RestoreProblem[], cause?: unknown): void {
  if (problems.length === 0) return;
  const left = problems.filter(({ reason }) => reason === "left");
  const outcome =
    left.length === 0
      ? "The restore failed, and all files are as they were"
      : `The restore failed, and ${left.length} files could not be put back`;
  throw new RestoreError("RESTORE_FAILED", `${outcome}: ${listed(problems)}`, problems, { cause });
}

function listed(problems: readonly RestoreProblem[]): string {
  const [first] = problems;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  return first === undefined ? "" : `${quote(first.path)}: ${first.detail}${more}`;
}

/**
 * Makes the files' present state durable in the session: for the branch, and so that what a forced restore
 * overwrites is not lost.
 *
 * @returns the seq of the first snapshot, or of the event that follows when there is none
 */
async function recordFiles(log: SessionLog, steps: readonly FileStep[]): Promise<number> {
  const first = log.state.head + 1;
  const inBatch = new Set<string>();
  let batch: FileSnapshotEvent[] = [];
  let characters = 0;
  for (const { place, target } of steps) {
    const current = await readFileState(place.absolute, agentLimits.maxSnapshotBytes);
    const isStored = (hash: string): boolean =>
      log.state.storedBytes.has(hash) || inBatch.has(hash);
    const before = imageOf(current, isStored);
    if (current?.bytes !== null && current !== null) inBatch.add(current.hash);
    batch.push({
      type: "file_snapshot",
      path: place.name,
      before,
      afterHash: target?.hash ?? null,
    });
    characters += JSON.stringify(before).length;
    if (characters < agentLimits.snapshotBatchCharacters) continue;
    await log.append(batch);
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) await log.append(batch);
  return first;
}

/** Keeps the conversation as a branch, and cuts it. */
async function cut(
  { checkpointer, log }: RestorePlace,
  { targetSeq }: RestoreStartedEvent,
  branchId: string,
): Promise<void> {
  const { sessionId } = log;
  await checkpointer.fork(sessionId, log.state.head, branchId);
  try {
    await checkpointer.truncate(sessionId, targetSeq - 1, log.token);
  } catch (error) {
    // The reply may have been lost on the way; then nothing may be put back.
    if ((await checkpointer.head(sessionId)) === targetSeq - 1) return;
    await checkpointer.delete(branchId);
    throw error;
  }
}

function restored({ targetSeq }: RestoreStartedEvent, { steps }: FilePlan): RestoredEvent {
  const restoredFiles = steps.map(({ place }) => place.name);
  return { type: "restored", targetSeq, restoredFiles, conversationRestored: false };
}

/**
 * Puts the files back and says so in the log, whoever has appended to it meanwhile. If the log cannot be written,
 * the next resume finishes the restore instead.
 */
async function takeBack(
  { checkpointer, log }: RestorePlace,
  swap: Swap,
  { targetSeq }: RestoreStartedEvent,
): Promise<void> {
  await swap.undo();
  const nothing = { restoredFiles: [], conversationRestored: false };
  await checkpointer
    .append(log.sessionId, [{ type: "restored", targetSeq, ...nothing }])
    .catch(() => undefined);
}
