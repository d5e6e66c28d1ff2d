import { basename } from "node:path";
import { contentsOf, type Fate, type Inode } from "../../conformance/faults/crash-states.ts";
import type { CrashPoint } from "./crash-recorder.ts";

/** Logs by file name, as a power cut may leave them. */
export type CrashState = ReadonlyMap<string, Buffer>;

/** A state, with what happened to the data in it. */
export interface FatedState {
  readonly files: CrashState;
  readonly fates: ReadonlySet<Fate>;
}

/**
 * Every state that a power cut may leave at this moment: each change of the directory that was not
 * synced is kept or lost, and so is data that was not synced, or it is cut anywhere, or the size
 * reached the disk and the data did not.
 */
export function* crashStates(point: CrashPoint): Generator<FatedState, void, void> {
  for (const entries of directoryStates(point)) {
    yield* contentStates(point, [...entries], new Map(), new Set());
  }
}

function* directoryStates(point: CrashPoint): Generator<Map<string, Inode>, void, void> {
  const { unsyncedEntries } = point;
  for (let kept = 0; kept < 2 ** unsyncedEntries.length; kept += 1) {
    const entries = new Map(point.entries);
    for (const [index, { path, inode }] of unsyncedEntries.entries()) {
      if ((kept & (1 << index)) === 0) continue;
      if (inode === null) entries.delete(path);
      else entries.set(path, inode);
    }
    yield entries;
  }
}

function* contentStates(
  point: CrashPoint,
  rest: ReadonlyArray<[string, Inode]>,
  files: ReadonlyMap<string, Buffer>,
  fates: ReadonlySet<Fate>,
): Generator<FatedState, void, void> {
  const [first, ...others] = rest;
  if (first === undefined) {
    yield { files, fates };
    return;
  }
  const [path, inode] = first;
  for (const { content, fate } of contentsOf(point.files.get(inode) ?? inode)) {
    const more = new Map(files).set(basename(path), content);
    yield* contentStates(point, others, more, new Set(fates).add(fate));
  }
}
