import { basename, normalize, parse, sep } from "node:path";
import { requireSessionId } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { showId } from "./output/escape.ts";

/** A file to import and the session it becomes. */
export interface ImportTarget {
  readonly file: string;
  readonly sessionId: string;
}

/** What names standard input on the command line. */
export const standardInput = "-";

/**
 * Which session each file becomes: `session` when given, else the file's name without directory and
 * last extension. Files of one run that would share a name get their path instead, as it was typed.
 *
 * @throws CliError when that does not give one session a file
 */
export function importTargets(
  files: readonly string[],
  session: string | undefined,
): readonly ImportTarget[] {
  if (session !== undefined && files.length > 1) {
    throw usage("--session names one session, so it takes one file");
  }
  if (session === undefined && files.includes(standardInput)) {
    throw usage("Standard input has no name: give it one with --session");
  }
  const names = files.map((file) => session ?? parse(basename(file)).name);
  const targets = files.map((file, index) => {
    const name = names[index] ?? "";
    const shared = names.filter((other) => other === name).length > 1;
    return { file, sessionId: shared ? pathId(file) : name };
  });
  const taken = new Set<string>();
  for (const { sessionId } of targets) {
    requireSessionId(sessionId);
    if (taken.has(sessionId)) throw usage(`Two files would become session ${showId(sessionId)}`);
    taken.add(sessionId);
  }
  return targets;
}

function pathId(file: string): string {
  return normalize(file).split(sep).join("/");
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
