import { readFileSync, readdirSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { hookFileSystem, isMutating, type FileCall } from "./hook-file-system.ts";

/** A change that was made to a directory, in the order it was made; data is base64. */
export type FileChange =
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly at: number; readonly data: string }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "mkdir"; readonly path: string };

/** A running recording. */
export interface Recording {
  /** The changes since the last time this was asked. */
  take(): FileChange[];
}

const readOriginal = readFileSync;

interface OpenFile {
  readonly path: string;
  readonly appends: boolean;
  position: number;
}

/** Records what this process changes below `directory` through `node:fs` from now on. */
export async function recordFileSystem(directory: string): Promise<Recording> {
  const root = resolve(directory);
  const files = new Map<number, OpenFile>();
  const sizes = sizesBelow(root);
  let changes: FileChange[] = [];

  const inside = (path: unknown): string | undefined => {
    if (typeof path !== "string" && !(path instanceof URL) && !Buffer.isBuffer(path))
      return undefined;
    const full = resolve(path instanceof URL ? path.pathname : path.toString());
    return full === root || full.startsWith(root + sep) ? full : undefined;
  };
  function created(path: string, flags: unknown): void {
    const makes = isMutating({ name: "open", args: [path, flags] });
    const existed = sizes.has(path);
    if (makes && !existed) changes.push({ kind: "create", path });
    const truncates = typeof flags === "string" && flags.startsWith("w");
    if (truncates && existed) changes.push({ kind: "truncate", path, size: 0 });
    if (truncates || (makes && !existed)) sizes.set(path, 0);
  }

  function wrote(path: string, at: number, bytes: Buffer): void {
    changes.push({ kind: "write", path, at, data: bytes.toString("base64") });
    sizes.set(path, Math.max(sizes.get(path) ?? 0, at + bytes.length));
  }

  function note({ name, args }: FileCall, result: unknown): void {
    const [first, second] = args;
    const path = typeof first === "number" ? files.get(first)?.path : inside(first);
    if (path === undefined) return;
    switch (name) {
      case "open": {
        const fd = typeof result === "number" ? result : (result as { fd: number }).fd;
        created(path, second);
        const appends =
          typeof second === "string" ? second.startsWith("a") : (Number(second) & 0o2000) !== 0;
        files.set(fd, { path, appends, position: 0 });
        return;
      }
      case "close":
        files.delete(Number(first));
        return;
      case "write": {
        const file = files.get(Number(first));
        if (file === undefined) return;
        const count =
          typeof result === "number" ? result : (result as { bytesWritten: number }).bytesWritten;
        const bytes = written(args, count);
        const explicit = typeof args[4] === "number" ? args[4] : undefined;
        const at = explicit ?? (file.appends ? (sizes.get(path) ?? 0) : file.position);
        wrote(path, at, bytes);
        if (explicit === undefined) file.position = at + bytes.length;
        return;
      }
      case "writeFile":
        created(path, "w");
        wrote(path, 0, written([null, second], Infinity));
        return;
      case "appendFile":
        created(path, "a");
        wrote(path, sizes.get(path) ?? 0, written([null, second], Infinity));
        return;
      case "copyFile": {
        const target = inside(second);
        if (target === undefined) return;
        created(target, "w");
        wrote(target, 0, readOriginal(target));
        return;
      }
      case "ftruncate":
      case "truncate": {
        const size = typeof second === "number" ? second : 0;
        changes.push({ kind: "truncate", path, size });
        sizes.set(path, size);
        return;
      }
      case "fsync":
      case "fdatasync":
        changes.push({ kind: "sync", path });
        return;
      case "rename": {
        const to = inside(second);
        if (to === undefined) return;
        changes.push({ kind: "rename", path, to });
        move(path, to);
        return;
      }
      case "unlink":
      case "rmdir":
      case "rm":
        changes.push({ kind: "remove", path });
        sizes.delete(path);
        return;
      case "mkdir":
        changes.push({ kind: "mkdir", path });
        return;
      default:
    }
  }

  function move(from: string, to: string): void {
    for (const [path, size] of sizes) {
      if (path !== from && !path.startsWith(from + sep)) continue;
      sizes.delete(path);
      sizes.set(to + path.slice(from.length), size);
    }
    for (const [fd, file] of files) {
      if (file.path !== from && !file.path.startsWith(from + sep)) continue;
      files.set(fd, { ...file, path: to + file.path.slice(from.length) });
    }
  }

  await hookFileSystem({ after: note });
  return {
    take() {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
}

/** The sizes of the files that are there. */
function sizesBelow(root: string): Map<string, number> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path, readOriginal(path).length]));
}

/** The bytes that a call has written. */
function written(args: readonly unknown[], count: number): Buffer {
  const [, data, offset] = args;
  const from = typeof offset === "number" ? offset : 0;
  const bytes = ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(String(data));
  return Buffer.from(bytes.subarray(from, from + Math.min(count, bytes.length - from)));
}
