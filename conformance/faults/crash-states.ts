import { dirname } from "node:path";
import type { FileChange } from "./record-file-system.ts";

/** Files by path, as they are or as a power cut may leave them. */
export type Files = ReadonlyMap<string, Buffer>;

/** What became of data that was not synced; holes alone may cost more than what was never acknowledged. */
export type Fate = "lost" | "kept" | "cut" | "zeros at the end" | "zeros before the end";

/** Files as a power cut may leave them, with what happened to the data in them. */
export interface CrashState {
  readonly files: Files;
  readonly fates: ReadonlySet<Fate>;
}

/** A change of a file that no sync has covered yet. */
type Unsynced = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file as it is and as a power cut may find it. */
export interface Inode {
  live: Buffer;
  /** What the last sync covered. */
  durable: Buffer;
  unsynced: readonly Unsynced[];
}

/**
 * A change of a directory that no sync of it has covered yet. A rename within one directory is one
 * change; one between two is a change of each, and either sync settles its own.
 */
interface Entry {
  readonly folder: string;
  readonly removes?: string;
  readonly adds?: { readonly path: string; readonly inode: Inode };
}

/** A disk that tells what a power cut could take back. */
export interface Disk {
  apply(change: FileChange): void;
  /** Every state that a power cut may leave now. */
  states(): Generator<CrashState, void, void>;
}

/**
 * A disk that starts with `files`, all of them durable. The method is ALICE's (Pillai et al., OSDI
 * 2014): data that was not synced is kept, lost, cut anywhere, or its place reached the disk and it did
 * not; each change of a directory that was not synced is kept or lost.
 */
export function createDisk(files: Files): Disk {
  const live = new Map<string, Inode>();
  for (const [path, bytes] of files) live.set(path, { live: bytes, durable: bytes, unsynced: [] });
  const durable = new Map(live);
  let entries: Entry[] = [];

  function create(path: string): Inode {
    const inode: Inode = { live: Buffer.alloc(0), durable: Buffer.alloc(0), unsynced: [] };
    live.set(path, inode);
    entries.push({ folder: dirname(path), adds: { path, inode } });
    return inode;
  }

  function remove(path: string): void {
    for (const name of live.keys()) {
      if (name !== path && !name.startsWith(`${path}/`)) continue;
      live.delete(name);
      entries.push({ folder: dirname(name), removes: name });
    }
  }

  function rename(path: string, to: string): void {
    for (const [name, inode] of live) {
      if (name !== path && !name.startsWith(`${path}/`)) continue;
      const target = to + name.slice(path.length);
      live.delete(name);
      live.set(target, inode);
      const [from, folder] = [dirname(name), dirname(target)];
      const adds = { path: target, inode };
      if (from === folder) entries.push({ folder, removes: name, adds });
      else entries.push({ folder: from, removes: name }, { folder, adds });
    }
  }

  function sync(path: string): void {
    const inode = live.get(path);
    if (inode !== undefined) {
      inode.durable = inode.live;
      inode.unsynced = [];
      return;
    }
    for (const entry of entries) if (entry.folder === path) settle(durable, entry);
    entries = entries.filter(({ folder }) => folder !== path);
  }

  return {
    apply(change) {
      switch (change.kind) {
        case "create":
          create(change.path);
          return;
        case "write": {
          const inode = live.get(change.path) ?? create(change.path);
          const bytes = Buffer.from(change.data, "base64");
          inode.unsynced = [...inode.unsynced, { at: change.at, bytes }];
          inode.live = overwrite(inode.live, change.at, bytes);
          return;
        }
        case "truncate": {
          const inode = live.get(change.path);
          if (inode === undefined) return;
          inode.unsynced = [...inode.unsynced, { size: change.size }];
          inode.live = resize(inode.live, change.size);
          return;
        }
        case "sync":
          return sync(change.path);
        case "rename":
          return rename(change.path, change.to);
        case "remove":
          return remove(change.path);
        case "mkdir":
      }
    },
    *states() {
      for (const choice of choices(entries.length)) {
        const found = new Map(durable);
        for (const [index, entry] of entries.entries()) if (choice(index)) settle(found, entry);
        yield* contentStates([...found], new Map(), new Set());
      }
    },
  };
}

function settle(entries: Map<string, Inode>, { removes, adds }: Entry): void {
  if (removes !== undefined) entries.delete(removes);
  if (adds !== undefined) entries.set(adds.path, adds.inode);
}

/** Which of some changes reached the disk: all combinations of a few, and the telling ones of many. */
function* choices(count: number): Generator<(index: number) => boolean, void, void> {
  if (count <= 5) {
    for (let kept = 0; kept < 2 ** count; kept += 1) yield (index) => (kept & (1 << index)) !== 0;
    return;
  }
  for (let end = 0; end <= count; end += 1) yield (index) => index < end;
  for (let one = 0; one < count; one += 1) {
    yield (index) => index !== one;
    yield (index) => index === one;
  }
}

function* contentStates(
  rest: ReadonlyArray<readonly [string, Inode]>,
  files: Files,
  fates: ReadonlySet<Fate>,
): Generator<CrashState, void, void> {
  const [first, ...others] = rest;
  if (first === undefined) {
    yield { files, fates };
    return;
  }
  const [path, inode] = first;
  for (const { content, fate } of contentsOf(inode)) {
    yield* contentStates(others, new Map(files).set(path, content), new Set(fates).add(fate));
  }
}

/** Every content that a power cut may leave, with what happened to the data. */
export function* contentsOf({
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
    yield { content: resize(cut, live.length), fate: "zeros at the end" };
  }
  for (let end = start + 1; end < live.length; end += 31) {
    const hole = Buffer.from(live);
    hole.fill(0, start, end);
    yield { content: hole, fate: "zeros before the end" };
  }
  yield { content: resize(live.subarray(0, start), live.length), fate: "zeros at the end" };
}

/** The durable content with the truncates alone: they are metadata and may come first. */
function afterTruncates(durable: Buffer, unsynced: readonly Unsynced[]): Buffer {
  let content = durable;
  for (const change of unsynced) {
    if ("size" in change) content = content.subarray(0, change.size);
  }
  return content;
}

function commonLength(left: Buffer, right: Buffer): number {
  const most = Math.min(left.length, right.length);
  for (let length = 0; length < most; length += 1) {
    if (left[length] !== right[length]) return length;
  }
  return most;
}

function overwrite(content: Buffer, at: number, bytes: Buffer): Buffer {
  const result = Buffer.from(resize(content, Math.max(content.length, at + bytes.length)));
  bytes.copy(result, at);
  return result;
}

function resize(content: Buffer, size: number): Buffer {
  if (size <= content.length) return content.subarray(0, size);
  return Buffer.concat([content, Buffer.alloc(size - content.length)]);
}

/** Every byte of short data; of long data enough places to meet every part of a record. */
function stepFor(length: number): number {
  return length <= 200 ? 1 : 7;
}
