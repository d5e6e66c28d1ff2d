import type { SessionEvent, ToolResultEvent, UserEvent } from "../../src/index.ts";
import { findBranches, isSaid, type Place } from "./claude-code-branch.ts";
import { createEventSequence, type EventSequence } from "./event-sequence.ts";
import { isObject, type JsonObject } from "../json-object.ts";
import { isContent, type OtherBlock } from "../message.ts";
import {
  readTranscript,
  reopenable,
  type TranscriptRecord,
  type TranscriptSource,
} from "./transcript.ts";

/**
 * The session in a transcript of Claude Code (`~/.claude/projects/<project>/<session>.jsonl`), as events
 * for an empty session. Read once to find the branch that went on to the end, and once more for its
 * events.
 *
 * - The parts of a streamed answer, which share a message id, are one `assistant` event; the results of
 *   tools that ran meanwhile come after it.
 * - What a person typed, slash commands included, is `user` with `origin: "input"`: a checkpoint. What
 *   the program put in (`isMeta`, reminders, output of commands) has `origin: "reminder"`.
 * - The summary that a compaction leaves (`isCompactSummary`) is a `summary` event. A record of type
 *   `summary` is none: it is the title of a session in a list.
 * - Everything else is kept, untouched, in an event `claude-code:<type>`: abandoned branches as
 *   `claude-code:abandoned`, the conversations of subagents as `claude-code:sidechain`, because the main
 *   conversation never held them. A transcript that is a subagent's alone is imported as that one's session.
 *
 * @throws AgentError `TRANSCRIPT_MALFORMED` naming the first line that is not JSON
 */
export async function* importClaudeCode(source: TranscriptSource): AsyncGenerator<SessionEvent> {
  const open = await reopenable(source);
  const branches = await findBranches(readTranscript(open()));
  const sequence = createEventSequence("claude-code");
  let index = 0;
  for await (const record of readTranscript(open())) {
    if (index === branches.count) break;
    const { value } = record;
    if (isObject(value)) translate(sequence, record, value, branches.placeOf(index, value));
    else sequence.keep("record", record);
    index += 1;
    yield* sequence.take();
  }
  sequence.close();
  yield* sequence.take();
}

function translate(
  sequence: EventSequence,
  record: TranscriptRecord,
  value: JsonObject,
  place: Place,
): void {
  const { type, message } = value;
  const content = isObject(message) ? message["content"] : undefined;
  if (place !== "conversation") return sequence.keep(place, record);
  if (isContent(content)) {
    if (type === "user") return addUser(sequence, record, value, content);
    // Text that the program wrote when the vendor did not answer; the model never saw it again.
    const isWritten = type === "assistant" && value["isApiErrorMessage"] !== true;
    if (isWritten) return addAssistant(sequence, record, value, content);
  }
  sequence.keep(typeof type === "string" ? type : "record", record);
}

type Content = string | readonly OtherBlock[];

function addAssistant(
  sequence: EventSequence,
  record: TranscriptRecord,
  value: JsonObject,
  content: Content,
): void {
  const { id, model, usage } = value["message"] as JsonObject;
  const part = {
    content,
    model: typeof model === "string" ? model : undefined,
    usage: usageOf(usage),
    interrupted: value["isAbortedMidStream"] === true ? (true as const) : undefined,
  };
  sequence.assistant(typeof id === "string" ? id : record, part, withoutContent(record, value));
}

/** All tokens the model was given, cached ones too, which its vendor counts apart. */
function usageOf(usage: unknown): { inputTokens: number; outputTokens: number } | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  const cached = [usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]];
  const inputTokens = cached.reduce<number>(
    (sum, tokens) => sum + (typeof tokens === "number" ? tokens : 0),
    input,
  );
  return { inputTokens, outputTokens: output };
}

function addUser(
  sequence: EventSequence,
  record: TranscriptRecord,
  value: JsonObject,
  content: Content,
): void {
  const kept = withoutContent(record, value);
  if (value["isCompactSummary"] === true) return sequence.summarize(textOf(content), kept);
  if (isSaid(value)) sequence.close();
  const origin = isTyped(value, content) ? "input" : "reminder";
  const pieces = typeof content === "string" ? [content] : piecesOf(content);
  for (const [index, piece] of pieces.entries()) {
    const event: SessionEvent = isResult(piece)
      ? resultEvent(piece)
      : ({ type: "user", content: piece, origin } satisfies UserEvent);
    sequence.add(event, index === 0 ? [kept] : []);
  }
}

/** Results alone, and what stands between them together, in order; one empty piece of no blocks. */
function piecesOf(content: readonly OtherBlock[]): Array<OtherBlock | OtherBlock[]> {
  const pieces: Array<OtherBlock | OtherBlock[]> = [];
  for (const block of content) {
    const last = pieces.at(-1);
    if (isResult(block)) pieces.push(block);
    else if (Array.isArray(last)) last.push(block);
    else pieces.push([block]);
  }
  return pieces.length === 0 ? [[]] : pieces;
}

function isResult(piece: string | OtherBlock | readonly OtherBlock[]): piece is OtherBlock {
  return (
    isObject(piece) && piece["type"] === "tool_result" && typeof piece["tool_use_id"] === "string"
  );
}

/** Fields beside those of the event stay with it, as the vendor named them. */
function resultEvent(block: OtherBlock): ToolResultEvent {
  const { type: _type, tool_use_id: callId, content: output, is_error: isError, ...rest } = block;
  const failed =
    typeof isError === "boolean" || isError === undefined ? { isError } : { is_error: isError };
  return { ...rest, type: "tool_result", callId: callId as string, output, ...failed };
}

/** How the texts begin that the program puts into a user's message. */
const machineMade =
  /^\s*(?:<(?:system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|task-notification|ide_\w+)>|Caveat: The messages below were generated|This session is being continued from a previous conversation|\[Request interrupted by user)/;

/** Whether a person typed at least a part of it. */
function isTyped(value: JsonObject, content: Content): boolean {
  if (value["isMeta"] === true || value["isVisibleInTranscriptOnly"] === true) return false;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.some(({ type, text }) => {
    if (type !== "text" || typeof text !== "string") return type !== "tool_result";
    return text !== "" && !machineMade.test(text);
  });
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

/** The event holds the content as it was. */
function withoutContent({ line }: TranscriptRecord, value: JsonObject): TranscriptRecord {
  const { content: _content, ...message } = value["message"] as JsonObject;
  return { line, value: { ...value, message } };
}
