import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { EventObject } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { eventOfRecord } from "../input/imported-value.ts";
import { readRecords } from "../input/read-records.ts";
import { escapeText } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";

/**
 * The events of a real session, from JSONL, a JSON array or one document, as `ckpt import` takes them.
 *
 * @throws CliError when it cannot be read, or holds nothing
 */
export async function readTranscript(
  file: string,
): Promise<{ readonly name: string; readonly events: readonly EventObject[] }> {
  const events: EventObject[] = [];
  try {
    const records = readRecords(createReadStream(file), { lines: false, allowRounding: true });
    for await (const record of records) events.push(eventOfRecord(record));
  } catch (error) {
    const reason = error instanceof CliError ? error.message : systemMessage(error);
    throw new CliError(exitCodes.usage, `Cannot read "${escapeText(file)}": ${reason}`);
  }
  if (events.length === 0) {
    throw new CliError(exitCodes.usage, `Wanted events in "${escapeText(file)}", met none`);
  }
  return { name: basename(file), events };
}
