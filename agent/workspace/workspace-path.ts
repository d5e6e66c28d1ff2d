import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { quote } from "../../src/index.ts";
import { AgentError } from "../agent-error.ts";
import { unlessMissing } from "./unless-missing.ts";

/** A place in the working directory. */
export interface WorkspacePath {
  /** Relative to the working directory, with `/` between names: what snapshots hold. */
  readonly name: string;
  readonly absolute: string;
}

/**
 * A path below the working directory, by its text alone.
 *
 * @param workdir - absolute and without symbolic links
 * @param path - relative to it, or absolute and inside
 * @throws AgentError `PATH_REFUSED` for the directory itself and everything outside
 */
export function workspacePath(workdir: string, path: unknown): WorkspacePath {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new AgentError("PATH_REFUSED", "Path refused: wanted a file's name, met something else");
  }
  const absolute = resolve(workdir, path);
  const inside = relative(workdir, absolute);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw refused(path, "it is not inside the working directory");
  }
  return { name: inside.split(sep).join("/"), absolute };
}

/**
 * Checks that a file may be written, replaced or removed: no name on the way to it is a symbolic link, and it
 * is a regular file or absent.
 *
 * @throws AgentError `PATH_REFUSED`
 */
export async function requireWritable(workdir: string, { name }: WorkspacePath): Promise<void> {
  const names = name.split("/");
  for (let length = 1; length <= names.length; length++) {
    const last = length === names.length;
    const part = names.slice(0, length).join("/");
    const stats = await unlessMissing(lstat(join(workdir, part)));
    if (stats === null) return;
    if (stats.isSymbolicLink()) throw refused(name, `${quote(part)} is a symbolic link`);
    if (last && !stats.isFile()) throw refused(name, "it is not a regular file");
    if (!last && !stats.isDirectory()) throw refused(name, `${quote(part)} is not a directory`);
  }
}

/**
 * Checks that a file may be read: where its symbolic links lead is inside the working directory.
 *
 * @throws AgentError `PATH_REFUSED`
 */
export async function requireReadable(
  workdir: string,
  { name, absolute }: WorkspacePath,
): Promise<void> {
  const real = await unlessMissing(realpath(absolute));
  if (real !== null && !real.startsWith(workdir.endsWith(sep) ? workdir : workdir + sep)) {
    throw refused(name, "it leads out of the working directory");
  }
}

function refused(path: string, reason: string): AgentError {
  return new AgentError("PATH_REFUSED", `Path ${quote(path)} refused: ${reason}`);
}
