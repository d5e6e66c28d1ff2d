import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";

/** One call into the file system, whichever of its three forms was used. */
export interface FileCall {
  /** As the function is called without `Sync`, for example `write`. */
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What happens around a call. */
export interface FileHooks {
  /** Before it; what this throws, the call fails with. */
  before?(call: FileCall): void;
  /** Other arguments for it. */
  replace?(call: FileCall): readonly unknown[];
  /** After it, and before its caller hears of it. */
  after?(call: FileCall, result: unknown): void;
}

type PlainFunction = (...args: readonly unknown[]) => unknown;
type Functions = Record<string, unknown>;

/** Functions that a store can change something with, and `open` and `close`, which belong to them. */
const hookedNames = [
  "appendFile",
  "chmod",
  "close",
  "copyFile",
  "cp",
  "fchmod",
  "fdatasync",
  "fsync",
  "ftruncate",
  "futimes",
  "link",
  "mkdir",
  "mkdtemp",
  "open",
  "rename",
  "rm",
  "rmdir",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "write",
  "writeFile",
  "writev",
] as const;

/** Methods of the file handles of `node:fs/promises`, with the names that the same has elsewhere. */
const handleNames: Readonly<Record<string, string>> = {
  appendFile: "appendFile",
  chmod: "fchmod",
  datasync: "fdatasync",
  sync: "fsync",
  truncate: "ftruncate",
  utimes: "futimes",
  write: "write",
  writeFile: "writeFile",
  writev: "writev",
};

/**
 * Puts hooks around the calls of `node:fs` in this process, in all three forms: synchronous, with a
 * callback, and promises. Modules that were loaded before see them too, unless they have copied the
 * functions. What native code does, such as SQLite's, is not seen.
 */
export async function hookFileSystem(hooks: FileHooks): Promise<void> {
  const functions = fs as unknown as Functions;
  const promises = fs.promises as unknown as Functions;
  for (const name of hookedNames) {
    replaceFunction(functions, `${name}Sync`, (plain) => hookSync(hooks, plain, name));
    replaceFunction(functions, name, (plain) => hookCallback(hooks, plain, name));
    replaceFunction(promises, name, (plain) => hookPromise(hooks, plain, name));
  }
  const handle = await fs.promises.open(process.execPath, "r");
  const prototype = Object.getPrototypeOf(handle) as Functions;
  await handle.close();
  for (const [method, name] of Object.entries(handleNames)) {
    replaceFunction(prototype, method, (plain) => hookPromise(hooks, plain, name));
  }
  syncBuiltinESMExports();
}

function replaceFunction(
  owner: Functions,
  name: string,
  hook: (plain: PlainFunction) => PlainFunction,
): void {
  const plain = owner[name];
  if (typeof plain === "function") owner[name] = hook(plain as PlainFunction);
}

function hookSync(hooks: FileHooks, plain: PlainFunction, name: string): PlainFunction {
  return function (this: unknown, ...args) {
    const call = { name, args };
    hooks.before?.(call);
    const result = plain.apply(this, [...(hooks.replace?.(call) ?? args)]);
    hooks.after?.(call, result);
    return result;
  };
}

function hookPromise(hooks: FileHooks, plain: PlainFunction, name: string): PlainFunction {
  return async function (this: unknown, ...args) {
    // A file handle is what its methods are about.
    const fd = (this as { fd?: unknown } | undefined)?.fd;
    const call = { name, args: typeof fd === "number" ? [fd, ...args] : args };
    hooks.before?.(call);
    const changed = hooks.replace?.(call) ?? call.args;
    const result = await plain.apply(
      this,
      typeof fd === "number" ? changed.slice(1) : [...changed],
    );
    hooks.after?.(call, result);
    return result;
  };
}

function hookCallback(hooks: FileHooks, plain: PlainFunction, name: string): PlainFunction {
  return function (this: unknown, ...args) {
    const callback = args.at(-1);
    if (typeof callback !== "function") return plain.apply(this, [...args]);
    const call: FileCall = { name, args: args.slice(0, -1) };
    const answer = callback as (error: unknown, ...results: unknown[]) => void;
    try {
      hooks.before?.(call);
    } catch (error) {
      // As the real functions do: never before the caller has returned.
      setImmediate(answer, error);
      return undefined;
    }
    return plain.apply(this, [
      ...(hooks.replace?.(call) ?? call.args),
      (error: unknown, ...results: unknown[]) => {
        let failure = error;
        try {
          if (error === null || error === undefined) hooks.after?.(call, results[0]);
        } catch (thrown) {
          failure = thrown;
        }
        answer(failure, ...results);
      },
    ]);
  };
}

/** Whether a call may change what is on the disk. */
export function isMutating({ name, args }: FileCall): boolean {
  if (name === "close") return false;
  if (name !== "open") return true;
  const flags = args[1];
  if (typeof flags === "number") return (flags & fs.constants.O_CREAT) !== 0;
  return typeof flags === "string" && /^[wa]/.test(flags);
}
