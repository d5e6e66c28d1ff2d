import type { SessionEvent } from "../../src/index.ts";
import { createEventSequence, type EventSequence } from "./event-sequence.ts";
import { toolInput } from "./tool-input.ts";
import { isObject, type JsonObject } from "../json-object.ts";
import type { OtherBlock } from "../message.ts";
import {
  readTranscript,
  reopenable,
  type TranscriptRecord,
  type TranscriptSource,
} from "./transcript.ts";

/**
 * The session in a rollout of Codex (`~/.codex/sessions/<date>/rollout-….jsonl`), as events for an empty
 * session. Read once to find the turns that were rolled back, and once more for its events; memory is one
 * turn.
 *
 * - `response_item` is the conversation: messages, `function_call`, `custom_tool_call` and
 *   `local_shell_call` with their outputs. What the model made in a row, reasoning included, is one
 *   `assistant` event; its texts and calls have the shapes of `Message`, and the arguments of a call are
 *   parsed where they are JSON.
 * - Messages of roles `developer` and `system`, and what the program put in for the user (environment,
 *   instructions, notices), have `origin: "reminder"`; other messages of the user are `origin: "input"`.
 * - `compacted` is a `summary`: the texts that replaced the history, or its message where none did.
 * - `turn_aborted` marks the message it cut off as `interrupted`, and is kept.
 * - Turns that `thread_rolled_back` took back are kept as `codex:abandoned`. Everything else is kept,
 *   untouched, in an event `codex:<type>`. `imported` holds every record whole.
 *
 * @throws AgentError `TRANSCRIPT_MALFORMED` naming the first line that is not JSON
 */
export async function* importCodex(source: TranscriptSource): AsyncGenerator<SessionEvent> {
  const open = await reopenable(source);
  const { count, isAbandoned } = await findRollbacks(readTranscript(open()));
  const translate = createTranslator(createEventSequence("codex"));
  let index = 0;
  for await (const record of readTranscript(open())) {
    if (index === count) break;
    yield* translate(record, isAbandoned(index));
    index += 1;
  }
  yield* translate(null, false);
}

/** A record as it counts: rollouts of 2025 had their items bare, later ones in an envelope. */
interface Item {
  readonly type: string;
  readonly fields: JsonObject;
}

function itemOf(value: unknown): Item {
  if (!isObject(value) || typeof value["type"] !== "string") return { type: "record", fields: {} };
  const { type, payload } = value;
  const wrapped = (type === "response_item" || type === "event_msg") && isObject(payload);
  if (wrapped && typeof payload["type"] === "string") {
    return { type: payload["type"], fields: payload };
  }
  return { type, fields: isObject(payload) ? payload : value };
}

type Translate = (record: TranscriptRecord | null, abandoned: boolean) => SessionEvent[];

function createTranslator(sequence: EventSequence): Translate {
  let model: string | undefined;
  /** Grows with every answer of the model, so that what it makes in a row has one key. */
  let answer = 0;

  const say = (record: TranscriptRecord, content: readonly OtherBlock[]): void =>
    sequence.assistant(answer, { content, model }, record);

  const hear = (record: TranscriptRecord, event: SessionEvent): void => {
    sequence.close();
    answer += 1;
    sequence.add(event, [record]);
  };

  function addMessage(record: TranscriptRecord, { role, content }: JsonObject): boolean {
    const blocks = blocksOf(content);
    if (blocks === null) return false;
    if (role === "assistant") say(record, blocks);
    else if (role === "user" || role === "developer" || role === "system") {
      const origin = role === "user" && isTyped(blocks) ? "input" : "reminder";
      hear(record, { type: "user", content: blocks, origin });
    } else return false;
    return true;
  }

  /** Whether the record is part of the conversation; then it was added. */
  function addItem(record: TranscriptRecord, { type, fields }: Item): boolean {
    if (type === "message") return addMessage(record, fields);
    if (type === "reasoning") {
      say(record, [{ ...fields, type }]);
      return true;
    }
    const call = callOf(type, fields);
    if (call !== null) {
      say(record, [call]);
      return true;
    }
    if (type.endsWith("_call_output") && typeof fields["call_id"] === "string") {
      hear(record, {
        type: "tool_result",
        callId: fields["call_id"],
        ...outputOf(fields["output"]),
      });
      return true;
    }
    if (type === "compacted") {
      sequence.summarize(summaryOf(fields), record);
      return true;
    }
    return false;
  }

  return (record, abandoned) => {
    if (record === null) sequence.close();
    else if (abandoned) sequence.keep("abandoned", record);
    else {
      const item = itemOf(record.value);
      if (item.type === "turn_context" && typeof item.fields["model"] === "string") {
        model = item.fields["model"];
      }
      if (item.type === "turn_aborted") sequence.interrupt();
      if (!addItem(record, item)) sequence.keep(item.type, record);
    }
    return sequence.take();
  };
}

/** Blocks of a message: texts as every vendor's message has them here, other parts as they were. */
function blocksOf(content: unknown): OtherBlock[] | null {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return null;
  const blocks: OtherBlock[] = [];
  for (const part of content as readonly unknown[]) {
    if (!isObject(part) || typeof part["type"] !== "string") return null;
    const isText = part["type"] === "input_text" || part["type"] === "output_text";
    blocks.push({ ...part, type: isText ? "text" : part["type"] });
  }
  return blocks;
}

/** A call of a tool as a block, or null. */
function callOf(type: string, fields: JsonObject): OtherBlock | null {
  const { call_id: id, name } = fields;
  if (typeof id !== "string") return null;
  if (type === "local_shell_call") {
    return { type: "tool_use", id, name: "local_shell", input: fields["action"] };
  }
  if (typeof name !== "string") return null;
  if (type === "custom_tool_call") return { type: "tool_use", id, name, input: fields["input"] };
  if (type !== "function_call") return null;
  return { type: "tool_use", id, name, input: toolInput(fields["arguments"]) };
}

/** Text as it is, parts as blocks, and what an object says about success. */
function outputOf(output: unknown): { output: unknown; isError?: boolean } {
  if (Array.isArray(output)) return { output: blocksOf(output) ?? output };
  if (!isObject(output) || output["content"] === undefined) return { output };
  const { content, success } = output;
  const failed = typeof success === "boolean" ? { isError: !success } : {};
  return { output: content, ...failed };
}

/** How the texts begin that Codex puts in for the user: `contextual_user_message.rs`, now and before. */
const machineMade =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|plugins|subagents|subagent_notification|user_shell_command)>|# AGENTS\.md instructions for )/i;

function isTyped(blocks: readonly OtherBlock[]): boolean {
  return blocks.some(({ type, text }) => {
    if (type !== "text" || typeof text !== "string") return true;
    return text !== "" && !machineMade.test(text);
  });
}

/** What the model saw instead of the history, as text. What its vendor sealed stays in the record. */
function summaryOf({ message, replacement_history: replacement }: JsonObject): string {
  const texts = Array.isArray(replacement) ? replacement.flatMap(textsOf) : [];
  if (texts.length > 0) return texts.join("\n\n");
  return typeof message === "string" ? message : "";
}

function textsOf(item: unknown): string[] {
  if (!isObject(item) || item["type"] !== "message" || item["role"] === "developer") return [];
  const texts = (blocksOf(item["content"]) ?? []).map(({ text }) => text);
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}

interface Rollbacks {
  readonly count: number;
  readonly isAbandoned: (index: number) => boolean;
}

/** A rollback takes back a number of turns, each from a message of the user on. */
async function findRollbacks(records: AsyncIterable<TranscriptRecord>): Promise<Rollbacks> {
  const turns: number[] = [];
  const spans: Array<{ from: number; to: number }> = [];
  let count = 0;
  for await (const { value } of records) {
    const { type, fields } = itemOf(value);
    if (
      type === "message" &&
      fields["role"] === "user" &&
      isTyped(blocksOf(fields["content"]) ?? [])
    ) {
      turns.push(count);
    }
    const { num_turns: taken } = fields;
    if (type === "thread_rolled_back" && typeof taken === "number" && taken > 0) {
      const [from] = turns.splice(-taken);
      if (from !== undefined) spans.push({ from, to: count });
    }
    count += 1;
  }
  const isAbandoned = (index: number): boolean =>
    spans.some(({ from, to }) => index >= from && index < to);
  return { count, isAbandoned };
}
