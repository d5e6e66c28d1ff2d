import { AgentError } from "../agent-error.ts";

/** A record of a transcript: its value, and the line it stands on, counted from 1. */
export interface TranscriptRecord {
  readonly line: number;
  readonly value: unknown;
}

/**
 * The lines of a transcript, without their line ends: JSON text, or records that somebody has parsed
 * already. Blank lines count and say nothing.
 */
export type TranscriptLines =
  Iterable<string | TranscriptRecord> | AsyncIterable<string | TranscriptRecord>;

/**
 * A transcript that may be needed twice, because its end decides what its beginning means. A function is
 * called each time, so that no record has to be held; lines as they are, arrays apart, are held in memory.
 */
export type TranscriptSource = TranscriptLines | (() => TranscriptLines);

/**
 * The records of a transcript, one at a time.
 *
 * @throws AgentError `TRANSCRIPT_MALFORMED` at the first line that is not JSON, after all records before
 * it. The message names the line and never what is in it
 */
export async function* readTranscript(lines: TranscriptLines): AsyncGenerator<TranscriptRecord> {
  let line = 0;
  for await (const item of lines) {
    line += 1;
    if (typeof item !== "string") yield { line: item.line, value: item.value };
    else if (item.trim() !== "") yield { line, value: parseLine(item, line) };
  }
}

/** A function that starts the transcript over each time it is called. */
export async function reopenable(source: TranscriptSource): Promise<() => TranscriptLines> {
  if (typeof source === "function") return source;
  if (typeof source === "string") {
    throw new TypeError("Cannot import a transcript: wanted its lines, met one string");
  }
  if (Array.isArray(source)) return () => source as TranscriptLines;
  const held: Array<string | TranscriptRecord> = [];
  for await (const item of source) held.push(item);
  return () => held;
}

/** The error of a line that is not what its format wants. `wanted` says what that is. */
export function malformed(line: number, wanted: string, met: string): AgentError {
  const message = `Cannot import line ${line}: wanted ${wanted}, met ${met}`;
  return new AgentError("TRANSCRIPT_MALFORMED", message);
}

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the line, which is somebody's conversation.
    throw malformed(line, "one JSON value", `${text.length} characters that are none`);
  }
}
