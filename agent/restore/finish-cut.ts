import {
  isCheckpointError,
  limits,
  newGeneration,
  utf8Length,
  type Checkpointer,
  type FileImage,
  type FileSnapshotEvent,
  type RestoreStartedEvent,
  type StoredEvent,
} from "../../src/index.ts";
import { sha256 } from "../sha256.ts";
import { imageOf } from "../workspace/file-image.ts";
import { readHistory, type FileHistory, type PastFile } from "./session-history.ts";
import { snapshotBatches } from "./snapshot-batches.ts";
import { snapshotReader, type SnapshotReader } from "./snapshot-reader.ts";
import { removeTemporaries } from "./swap-files.ts";

/** What is left to do once a conversation was cut; all of it can be done again. */
export interface CutPlace {
  readonly checkpointer: Checkpointer;
  readonly workdir: string;
  readonly sessionId: string;
}

const suffixLength = 12;

/** How the names of a session's branches begin. Where its own name would leave no room, its hash stands for it. */
function branchPrefix(sessionId: string): string {
  const fits = utf8Length(sessionId) + 1 + suffixLength <= limits.maxSessionIdBytes;
  return `${fits ? sessionId : sha256(sessionId)}~`;
}

/** A new name for a branch, which says where it comes from. */
export function newBranchId(sessionId: string): string {
  return branchPrefix(sessionId) + newGeneration().slice(0, suffixLength);
}

/**
 * Ends a restore after the conversation was cut, given what the session recorded of files since its target. When
 * files stayed as they were, what the cut part knew of them goes on in the session, so that a later restore can
 * still put them back. A branch that is not to be kept goes.
 */
export async function finishCut(
  place: CutPlace,
  started: RestoreStartedEvent,
  branchId: string,
  files: ReadonlyMap<string, FileHistory>,
): Promise<void> {
  const { checkpointer, workdir } = place;
  if (started.files) await removeTemporaries(workdir, files.keys(), started.workId);
  else await carryFiles(place, started, branchId, files);
  if (!started.keep) await checkpointer.delete(branchId);
}

/** Appends what is not in the session yet. Stops where somebody else goes on with it. */
async function carryFiles(
  { checkpointer, sessionId }: CutPlace,
  { targetSeq }: RestoreStartedEvent,
  branchId: string,
  files: ReadonlyMap<string, FileHistory>,
): Promise<void> {
  const all = [...files];
  for (;;) {
    const carried = await countCarried({ checkpointer, sessionId }, targetSeq, all);
    if (carried === null || carried === all.length) return;
    await using snapshots = snapshotReader(checkpointer, branchId);
    let head = targetSeq - 1 + carried;
    try {
      const rest = carriedFiles(snapshots, all.slice(carried), targetSeq);
      for await (const batch of snapshotBatches(rest)) {
        head = await checkpointer.append(sessionId, batch, head);
      }
    } catch (error) {
      // Two that resume a session do the same here; whoever comes second counts again.
      if (!isCheckpointError(error, "CONFLICT")) throw error;
    }
  }
}

async function* carriedFiles(
  snapshots: SnapshotReader,
  files: ReadonlyArray<readonly [string, FileHistory]>,
  end: number,
): AsyncGenerator<FileSnapshotEvent, void> {
  for (const [path, { first, lastHashes }] of files) {
    const before = await carriedImage(snapshots, first, end);
    yield { type: "file_snapshot", path, before, afterHash: lastHashes[0] ?? null };
  }
}

/** How many of the files the session carries already; null when something else happened in it. */
async function countCarried(
  { checkpointer, sessionId }: Pick<CutPlace, "checkpointer" | "sessionId">,
  targetSeq: number,
  files: ReadonlyArray<readonly [string, FileHistory]>,
): Promise<number | null> {
  let count = 0;
  for await (const { event } of checkpointer.read(sessionId, { sinceSeq: targetSeq - 1 })) {
    const isNext = event.type === "file_snapshot" && event.path === files[count]?.[0];
    if (!isNext || event.callId !== undefined) return null;
    count++;
  }
  return count;
}

/** The image of a past file for a session that ends before `end`. */
async function carriedImage(
  snapshots: SnapshotReader,
  file: PastFile | null,
  end: number,
): Promise<FileImage> {
  if (file === null) return { state: "absent" };
  const { hash, mode, bytesAt } = file;
  if (hash === undefined || bytesAt === undefined) return { state: "truncated", bytes: 0, mode };
  if (bytesAt < end) return { state: "stored", hash, mode };
  const bytes = await snapshots.read(file);
  return imageOf({ hash, mode, size: bytes.length, bytes }, () => false);
}

/**
 * Ends a restore that a crash kept from ending after it had cut the conversation: its branch still stands as it was
 * made. A session with an open restore has none.
 *
 * @returns whether the session is another one now
 */
export async function finishInterruptedCut(place: CutPlace, head: number): Promise<boolean> {
  const { checkpointer, sessionId } = place;
  const prefix = branchPrefix(sessionId);
  const branches = (await checkpointer.list({ prefix })).filter(
    // Those of a branch begin with its own name.
    ({ id, damaged }) => damaged !== true && id.length === prefix.length + suffixLength,
  );
  if (branches.length === 0) return false;
  const last = await eventAt(checkpointer, sessionId, head);
  for (const { id } of branches) {
    const started = await madeBy(checkpointer, id);
    if (started === null || !isUnfinished(started, head, last)) continue;
    const beforeCut = started.targetSeq - 1;
    const ours = await eventAt(checkpointer, sessionId, beforeCut);
    if (!isSameEvent(ours, await eventAt(checkpointer, id, beforeCut))) continue;
    const { filesSince } = await readHistory(checkpointer, id);
    await finishCut(place, started, id, filesSince(started.targetSeq));
  }
  return (await checkpointer.head(sessionId)) !== head;
}

/** The restore a branch comes from, unless it was used since. */
async function madeBy(
  checkpointer: Checkpointer,
  branchId: string,
): Promise<RestoreStartedEvent | null> {
  for await (const { event } of checkpointer.read(branchId, { reverse: true, limit: 1 })) {
    if (event.type === "restore_started" && event.branchId === branchId) return event;
  }
  return null;
}

/** Whether something may be left to do, given where the session ends, and with what. */
function isUnfinished(
  { targetSeq, files, keep }: RestoreStartedEvent,
  head: number,
  last: StoredEvent | null,
): boolean {
  if (head < targetSeq - 1) return false;
  if (!keep || head === targetSeq - 1) return true;
  return !files && last?.event.type === "file_snapshot" && last.event.callId === undefined;
}

async function eventAt(
  checkpointer: Checkpointer,
  sessionId: string,
  seq: number,
): Promise<StoredEvent | null> {
  if (seq === 0) return null;
  const range = { sinceSeq: seq - 1, limit: 1 };
  for await (const stored of checkpointer.read(sessionId, range)) return stored;
  return null;
}

/** Whether two sessions have the same event at a place: a fork keeps its time. */
function isSameEvent(one: StoredEvent | null, other: StoredEvent | null): boolean {
  return one?.ts === other?.ts && JSON.stringify(one?.event) === JSON.stringify(other?.event);
}
