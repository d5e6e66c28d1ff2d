import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { redact } from "./redact.ts";
import { systemMessage } from "./system-message.ts";

/**
 * The path in a spec, literally: nothing is percent-decoded. `//` in front of an absolute path is
 * dropped, as in file URLs, and `~/` means the home directory, which shells only expand at the
 * start of a word.
 */
export function pathOf(location: string): string {
  if (location.startsWith("///")) return location.slice(2);
  return location.startsWith("~/") ? join(homedir(), location.slice(2)) : location;
}

/** Whether there is something at the path in a spec. */
export async function isThere(location: string, spec: string): Promise<boolean> {
  try {
    await stat(pathOf(location));
    return true;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new CliError(exitCodes.failed, `Cannot open ${redact(spec)}: ${systemMessage(error)}`);
  }
}
