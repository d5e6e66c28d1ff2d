import { Buffer } from "node:buffer";
import {
  limits,
  newGeneration,
  type Checkpointer,
  type FileImage,
  type FileSnapshotEvent,
  type RestoreStartedEvent,
} from "../../src/index.ts";
import { imageOf } from "../workspace/file-image.ts";
import { sha256 } from "../workspace/file-state.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { readHistory, type FileHistory, type PastFile } from "./session-history.ts";
import { removeTemporaries } from "./swap-files.ts";

/** Random, and short enough to be typed. */
const suffixLength = 12;

/** Bytes of a session id that leave room for a branch's suffix. */
const longestOrigin = limits.maxSessionIdBytes - suffixLength - 1;

/** What is left to do once a conversation was cut; all of it can be done again. */
export interface CutPlace {
  readonly checkpointer: Checkpointer;
  readonly workdir: string;
  readonly sessionId: string;
}

/** How the names of a session's branches begin: with where they come from, as long as that fits. */
function branchPrefix(sessionId: string): string {
  const bytes = Buffer.from(sessionId);
  const name = bytes.length <= longestOrigin ? sessionId : sha256(bytes).slice(0, 32);
  return `${name}~`;
}

/** A new name for a branch. */
export function newBranchId(sessionId: string): string {
  return branchPrefix(sessionId) + newGeneration().slice(0, suffixLength);
}

/**
 * Ends a restore after the conversation was cut, given what the session recorded of files since its target. When files stayed as they were, what the cut part knew of them
 * goes on in the session, so that a later restore can still put them back. A branch that is not to be kept goes.
 */
export async function finishCut(
  { checkpointer, workdir, sessionId }: CutPlace,
  started: RestoreStartedEvent,
  branchId: string,
  files: ReadonlyMap<string, FileHistory>,
): Promise<void> {
  if (started.files) {
    await removeTemporaries(workdir, files.keys(), started.workId);
  } else if (files.size > 0) {
    const carried: FileSnapshotEvent[] = [];
    for (const [path, { first, lastHashes }] of files) {
      const before = await carriedImage(checkpointer, branchId, first, started.targetSeq);
      carried.push({ type: "file_snapshot", path, before, afterHash: lastHashes[0] ?? null });
    }
    await checkpointer.append(sessionId, carried, started.targetSeq - 1);
  }
  if (!started.keep) await checkpointer.delete(branchId);
}

/** The image of a past file for a session that ends before `end`. */
async function carriedImage(
  checkpointer: Checkpointer,
  branchId: string,
  file: PastFile | null,
  end: number,
): Promise<FileImage> {
  if (file === null) return { state: "absent" };
  const { hash, mode, bytesAt } = file;
  if (hash === undefined || bytesAt === undefined) return { state: "truncated", bytes: 0, mode };
  if (bytesAt < end) return { state: "stored", hash, mode };
  const bytes = await readSnapshot(checkpointer, branchId, file);
  return imageOf({ hash, mode, size: bytes.length, bytes }, () => false);
}

/**
 * Ends a restore that a crash kept from ending after it had cut the conversation: its branch still stands as it
 * was made, and the session was not used since.
 *
 * @returns whether there was one, and the session may have changed
 */
export async function finishInterruptedCut(place: CutPlace, head: number): Promise<boolean> {
  const { checkpointer, sessionId } = place;
  const [branch] = await checkpointer.list({ prefix: branchPrefix(sessionId), limit: 1 });
  if (branch === undefined || branch.damaged === true) return false;
  for await (const { event } of checkpointer.read(branch.id, { reverse: true, limit: 1 })) {
    const isOurs = event.type === "restore_started" && event.branchId === branch.id;
    if (!isOurs || head !== event.targetSeq - 1) continue;
    const { filesSince } = await readHistory(checkpointer, branch.id, undefined);
    await finishCut(place, event, branch.id, filesSince(event.targetSeq));
    return true;
  }
  return false;
}
