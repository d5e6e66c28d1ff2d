import {
  AgentError,
  importChatMessages,
  importClaudeCode,
  importCodex,
  type Imported,
  type TranscriptFormat,
  type TranscriptRecord,
} from "../agent/index.ts";
import type { SessionEvent } from "../src/index.ts";
import type { IncomingEvent } from "./append-missing.ts";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";

/** The transcripts that `import --from` knows. */
export const transcriptFormats: readonly TranscriptFormat[] = ["claude-code", "codex", "messages"];

/** What an imported transcript held. */
export interface TranscriptTally {
  /** Records of the file. */
  records: number;
  /** What a person typed: the session's checkpoints. */
  prompts: number;
}

/**
 * The events of a transcript, with the line each came from.
 *
 * @param records - its records; a function where they can be read twice
 * @param tally - counts on as the events come
 * @throws CliError for a record that the format does not have
 */
export async function* transcriptEvents(
  format: TranscriptFormat,
  records: AsyncIterable<TranscriptRecord> | (() => AsyncIterable<TranscriptRecord>),
  tally: TranscriptTally,
): AsyncGenerator<IncomingEvent> {
  let line = 0;
  try {
    for await (const event of eventsOf(format, records)) {
      const { imported } = event as SessionEvent & { readonly imported: Imported };
      line = imported.records[0]?.line ?? line;
      tally.records += imported.records.length;
      if (event.type === "user" && event.origin === "input") tally.prompts += 1;
      yield { event, size: JSON.stringify(event).length, place: `line ${line}` };
    }
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new CliError(exitCodes.failed, error.message, { cause: error });
  }
}

function eventsOf(
  format: TranscriptFormat,
  records: AsyncIterable<TranscriptRecord> | (() => AsyncIterable<TranscriptRecord>),
): AsyncIterable<SessionEvent> {
  if (format === "claude-code") return importClaudeCode(records);
  if (format === "codex") return importCodex(records);
  return importChatMessages(typeof records === "function" ? records() : records);
}
