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
  const { places, filesSince } = await readHistory(checkpointer, sessionId, undefined);
  return places.map((place): Checkpoint => {
    const files = [...filesSince(place.seq)].sort(([a], [b]) => (a < b ? -1 : 1));
    const unavailable = files.filter(([, { first }]) => !isAvailable(first));
    const paths = (list: typeof files): string[] => list.map(([path]) => path);
    return { ...place, files: paths(files), unavailableFiles: paths(unavailable) };
  });
}
