import type { Checkpointer } from "../../src/index.ts";
import { isAvailable, readHistory, type Place } from "./session-history.ts";

/** A place a session can go back to, with what that means for files. */
export interface Checkpoint extends Place {
  /** Files that tools changed since, relative to the working directory: what a restore puts back. */
  readonly files: readonly string[];
  /** Those of them whose bytes were not kept: with one of these, files cannot be restored. */
  readonly unavailableFiles: readonly string[];
}

/** Every checkpoint of a session with its files, oldest first. */
export async function listCheckpoints(
  checkpointer: Checkpointer,
  sessionId: string,
): Promise<Checkpoint[]> {
  const { places, snapshots } = await readHistory(checkpointer, sessionId);
  const checkpoints: Checkpoint[] = [];
  const paths = new Set<string>();
  const unavailable = new Set<string>();
  // Neighbours mostly have the same files and share a list: a long session has many checkpoints.
  let [files, unavailableFiles]: [string[], string[]] = [[], []];
  let last = snapshots.length - 1;
  for (const place of places.toReversed()) {
    let isOther = false;
    for (
      let at = snapshots[last];
      at !== undefined && at.seq >= place.seq;
      at = snapshots[--last]
    ) {
      paths.add(at.path);
      // The earliest image since the checkpoint is the one that counts.
      const wasAvailable = !unavailable.has(at.path);
      if (isAvailable(at.before)) unavailable.delete(at.path);
      else unavailable.add(at.path);
      isOther ||= wasAvailable === unavailable.has(at.path);
    }
    if (paths.size > files.length) files = [...paths].sort();
    if (isOther) unavailableFiles = [...unavailable].sort();
    checkpoints.push({ ...place, files, unavailableFiles });
  }
  return checkpoints.reverse();
}
