import { basename } from "node:path";
import type { CrashPoint, Inode, Unsynced } from "./crash-recorder.ts";

/** Logs by file name, as a power cut may leave them. */
export type CrashState = ReadonlyMap<string, Buffer>;

/** How a file came to its content; holes alone may cost more than what was never acknowledged. */
export type Fate = "lost" | "kept" | "cut" | "zeros at the end" | "zeros before the end";

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

function* contentsOf({
  live,
  durable,
  unsynced,
}: Readonly<Inode>): Generator<{ content: Buffer; fate: Fate }, void, void> {
  yield { content: live, fate: "kept" };
  if (unsynced.length === 0) return;
  yield { content: durable, fate: "lost" };
  const whole = afterTruncates(durable, unsynced);
  if (whole.length < durable.length) yield { content: whole, fate: "cut" };
  const start = commonLength(whole, live);
  for (let end = start + 1; end < live.length; end += stepFor(live.length - start)) {
    const cut = live.subarray(0, end);
    yield { content: cut, fate: "cut" };
    const zeros = Buffer.alloc(live.length - end);
    yield { content: Buffer.concat([cut, zeros]), fate: "zeros at the end" };
  }
  for (let end = start + 1; end < live.length; end += 31) {
    const hole = Buffer.from(live);
    hole.fill(0, start, end);
    yield { content: hole, fate: "zeros before the end" };
  }
  const grown = Buffer.concat([live.subarray(0, start), Buffer.alloc(live.length - start)]);
  yield { content: grown, fate: "zeros at the end" };
}

/** The durable content with the truncates alone: they are metadata and may come first. */
function afterTruncates(durable: Buffer, unsynced: readonly Unsynced[]): Buffer {
  let content = durable;
  for (const change of unsynced) {
    if ("truncatedTo" in change) content = content.subarray(0, change.truncatedTo);
  }
  return content;
}

function commonLength(left: Buffer, right: Buffer): number {
  const most = Math.min(left.length, right.length);
  for (let length = 0; length < most; length += 1)
    if (left[length] !== right[length]) return length;
  return most;
}

/** Every byte of short data; of long data enough places to meet every part of a line. */
function stepFor(length: number): number {
  return length <= 200 ? 1 : 7;
}
