import { constants, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Inode } from "../../conformance/faults/crash-states.ts";
import type { FilePort } from "../../adapters/file/index.ts";
import { hookPort, type PortCall } from "./faulty-port.ts";

/** A change of the store's directory that no sync of it has covered yet. */
export interface UnsyncedEntry {
  readonly path: string;
  /** null: the entry goes away. */
  readonly inode: Inode | null;
}

/** What may be on the disk at one moment. */
export interface CrashPoint {
  /** The call that was just made. */
  readonly call: string;
  readonly entries: ReadonlyMap<string, Inode>;
  readonly unsyncedEntries: readonly UnsyncedEntry[];
  /** Copies, since files go on changing. */
  readonly files: ReadonlyMap<Inode, Readonly<Inode>>;
}

/**
 * A port over the real file system that keeps account of what a power cut could take back: data of
 * files that were not synced, and entries of the store's directory since that was.
 *
 * @param observe - called after every call that changed something
 */
export function recordingPort(
  store: string,
  observe: (point: CrashPoint) => void,
): { port: FilePort; adopt: (path: string) => void } {
  const byPath = new Map<string, Inode>();
  const byFd = new Map<number, Inode | string>();
  const entries = new Map<string, Inode>();
  let unsyncedEntries: UnsyncedEntry[] = [];

  function create(path: string, content: Buffer): Inode {
    const all = { at: 0, bytes: content };
    const inode: Inode = { live: content, durable: Buffer.alloc(0), unsynced: [all] };
    byPath.set(path, inode);
    return inode;
  }

  /** Takes a file as it is for durable. */
  function adopt(path: string): void {
    const content = readFileSync(path);
    const inode = { live: content, durable: content, unsynced: [] };
    byPath.set(path, inode);
    entries.set(path, inode);
  }

  function onOpen([path, flags]: readonly unknown[], fd: number): void {
    const name = String(path);
    if (name === store || !/\.(jsonl)$|\/(new-[0-9a-f]+|copy)$/.test(name)) {
      byFd.set(fd, name);
      return;
    }
    const creates =
      typeof flags === "string" ? /^[wa]/.test(flags) : (Number(flags) & constants.O_CREAT) !== 0;
    // There before the recording began.
    if (!byPath.has(name) && !creates) adopt(name);
    byFd.set(fd, byPath.get(name) ?? create(name, Buffer.alloc(0)));
  }

  function onWrite([fd, bytes, offset, length]: readonly unknown[], written: number): void {
    const inode = byFd.get(Number(fd));
    if (inode === undefined || typeof inode === "string") return;
    const from = Number(offset ?? 0);
    const added = Buffer.from((bytes as Buffer).subarray(from, from + Number(length))).subarray(
      0,
      written,
    );
    inode.unsynced = [...inode.unsynced, { at: inode.live.length, bytes: added }];
    inode.live = Buffer.concat([inode.live, added]);
  }

  function onRename(from: string, to: string): void {
    const inode = byPath.get(from);
    byPath.delete(from);
    if (inode === undefined) return;
    byPath.set(to, inode);
    if (dirname(from) === store) unsyncedEntries.push({ path: from, inode: null });
    if (dirname(to) === store) unsyncedEntries.push({ path: to, inode });
  }

  function onSync(fd: number): void {
    const target = byFd.get(fd);
    if (target === store) {
      for (const { path, inode } of unsyncedEntries) {
        if (inode === null) entries.delete(path);
        else entries.set(path, inode);
      }
      unsyncedEntries = [];
    } else if (target !== undefined && typeof target !== "string") {
      target.durable = target.live;
      target.unsynced = [];
    }
  }

  function account({ name, args }: PortCall, result: unknown): boolean {
    if (name === "openSync") onOpen(args, Number(result));
    else if (name === "writeSync") onWrite(args, Number(result));
    else if (name === "renameSync") onRename(String(args[0]), String(args[1]));
    else if (name === "copyFile") create(String(args[1]), readFileSync(String(args[1])));
    else if (name === "ftruncateSync") {
      const inode = byFd.get(Number(args[0]));
      if (inode === undefined || typeof inode === "string") return false;
      inode.unsynced = [...inode.unsynced, { size: Number(args[1]) }];
      inode.live = inode.live.subarray(0, Number(args[1]));
    } else if (/sync/.test(name) && !name.endsWith("Sync")) onSync(Number(args[0]));
    else if (name === "fdatasyncSync" || name === "fsyncSync") onSync(Number(args[0]));
    else return false;
    return true;
  }

  const port = hookPort({
    after(call, result) {
      if (!account(call, result)) return;
      const files = new Map<Inode, Inode>();
      for (const inode of [...byPath.values(), ...entries.values()]) {
        files.set(inode, { ...inode });
      }
      observe({
        call: call.name,
        entries: new Map(entries),
        unsyncedEntries: [...unsyncedEntries],
        files,
      });
    },
  });
  return { port, adopt };
}
