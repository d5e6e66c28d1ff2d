import type { SessionEvent } from "../../src/index.ts";
import { createEventSequence, type EventSequence } from "./event-sequence.ts";
import { toolInput } from "./tool-input.ts";
import { isObject, type JsonObject } from "../json-object.ts";
import { isContent, type OtherBlock } from "../message.ts";
import { malformed, type TranscriptRecord } from "./transcript.ts";

/**
 * The session in an array of messages as OpenAI's Chat Completions takes them
 * (platform.openai.com/docs/api-reference/chat), as events for an empty session. One message at a time is
 * in memory.
 *
 * - `user` is a prompt, `origin: "input"`. `system` and `developer` are `user` events with
 *   `origin: "reminder"`: an event log has no role for them, and the model should go on seeing them.
 * - `assistant` with `tool_calls` becomes text and `tool_use` blocks; arguments are parsed where they are
 *   JSON. `tool` is a `tool_result`; the one id of a list `tool_call_ids` counts too.
 * - A message of another role, or of a shape that is none of these, is kept, untouched, in an event
 *   `messages:<role>`. Content parts stay as they came; `imported` holds every other field.
 *
 * @param messages - in order; a message may come as `{ line, value }`, which error messages then name
 * @throws AgentError `TRANSCRIPT_MALFORMED` naming the first message that is not an object with a role
 */
export async function* importChatMessages(
  messages: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<SessionEvent> {
  const sequence = createEventSequence("messages");
  let count = 0;
  for await (const item of messages) {
    count += 1;
    const { line, value } = isRecord(item) ? item : { line: count, value: item };
    add(sequence, { line, value });
    sequence.close();
    yield* sequence.take();
  }
}

function isRecord(item: object): item is TranscriptRecord {
  return isObject(item) && typeof item["line"] === "number" && "value" in item && !("role" in item);
}

function add(sequence: EventSequence, record: TranscriptRecord): void {
  const { line, value } = record;
  const role = isObject(value) ? value["role"] : undefined;
  if (!isObject(value) || typeof role !== "string") {
    throw malformed(line, "a message, an object with a role", "something else");
  }
  const { content, ...fields } = value;
  const kept = { line, value: fields };
  if (role === "assistant") return addAssistant(sequence, record, value);
  if (!isContent(content)) return sequence.keep(role, record);
  if (role === "user") return sequence.add({ type: "user", content, origin: "input" }, [kept]);
  if (role === "system" || role === "developer") {
    return sequence.add({ type: "user", content, origin: "reminder" }, [kept]);
  }
  const callId = callIdOf(value);
  if (role !== "tool" || callId === undefined) return sequence.keep(role, record);
  sequence.add({ type: "tool_result", callId, output: content }, [kept]);
}

function addAssistant(sequence: EventSequence, record: TranscriptRecord, value: JsonObject): void {
  const { content, ...fields } = value;
  const text = content === null || content === undefined ? [] : content;
  const calls = value["tool_calls"] ?? [];
  if (!isContent(text) || !Array.isArray(calls)) return sequence.keep("assistant", record);
  const uses = (calls as readonly unknown[]).map(useOf);
  if (uses.includes(null)) return sequence.keep("assistant", record);
  const blocks = typeof text !== "string" ? text : text === "" ? [] : [{ type: "text", text }];
  const plain = typeof text === "string" && uses.length === 0;
  const part = { content: plain ? text : [...blocks, ...(uses as OtherBlock[])] };
  // What is not in the event, such as `null`, stays in the record.
  const kept = { line: record.line, value: plain || blocks.length > 0 ? fields : value };
  sequence.assistant(record.line, part, kept);
}

/** A call of a tool as a block, or null for something of another shape. */
function useOf(call: unknown): OtherBlock | null {
  if (!isObject(call) || typeof call["id"] !== "string") return null;
  const { id, function: called, custom } = call;
  if (isObject(called) && typeof called["name"] === "string") {
    return { type: "tool_use", id, name: called["name"], input: toolInput(called["arguments"]) };
  }
  if (isObject(custom) && typeof custom["name"] === "string") {
    return { type: "tool_use", id, name: custom["name"], input: custom["input"] };
  }
  return null;
}

function callIdOf({ tool_call_id: id, tool_call_ids: ids }: JsonObject): string | undefined {
  if (typeof id === "string") return id;
  const first: unknown = Array.isArray(ids) && ids.length === 1 ? ids[0] : undefined;
  return typeof first === "string" ? first : undefined;
}
