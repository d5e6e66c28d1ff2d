import { stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";

/**
 * Checks that files can be made at these places, before a long run is made for nothing.
 *
 * @throws CliError for a folder that is not there
 */
export async function requireFolders(paths: readonly (string | undefined)[]): Promise<void> {
  for (const path of paths.filter((one) => one !== undefined)) {
    const isFolder = await stat(dirname(path)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (path !== "" && isFolder) continue;
    const message = `Cannot write "${escapeText(path)}": there is no such folder`;
    throw new CliError(exitCodes.usage, message);
  }
}

/** Writes a file whole. */
export async function writeOutput(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const message = `Cannot write "${escapeText(path)}": ${systemMessage(error)}`;
    throw new CliError(exitCodes.failed, message);
  }
}
