import type { ScriptedAnswer } from "../providers/scripted-model.ts";

/**
 * Answers on the wire, one server-sent event each, as the vendors send them: the names, the order and
 * the fields are those of recorded streams.
 */

/** An answer of Anthropic's Messages API. */
export function anthropicEvents({
  thinking,
  text,
  toolCalls = [],
  usage = { inputTokens: 10, outputTokens: 5 },
  stop = toolCalls.length > 0 ? "tool_use" : "end",
}: ScriptedAnswer): string[] {
  const blocks = [
    ...(thinking === undefined ? [] : [thinkingBlock(thinking)]),
    ...(text === undefined ? [] : [textBlock(text)]),
    ...toolCalls.map(({ name, input = {}, id = `toolu_${name}`, inputError }) => {
      const json = inputError === undefined ? JSON.stringify(input) : String(input);
      const start = { type: "tool_use", id, name, input: {} };
      const deltas = halves(json).map((part) => ({ type: "input_json_delta", partial_json: part }));
      return { start, deltas };
    }),
  ];
  const none = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const counts = { input_tokens: usage.inputTokens, ...none, output_tokens: 1 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
  return [
    anthropicEvent("message_start", {
      message: { ...head, stop_reason: null, stop_sequence: null, usage: counts },
    }),
    anthropicEvent("ping"),
    ...blocks.flatMap(({ start, deltas }, index) => [
      anthropicEvent("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => anthropicEvent("content_block_delta", { index, delta })),
      anthropicEvent("content_block_stop", { index }),
    ]),
    anthropicEvent("message_delta", {
      delta: { stop_reason: anthropicStops[stop], stop_sequence: null },
      usage: { output_tokens: usage.outputTokens },
    }),
    anthropicEvent("message_stop"),
  ];
}

/** One event of Anthropic. */
export function anthropicEvent(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const anthropicStops = {
  end: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
} as const;

function textBlock(text: string): { start: object; deltas: object[] } {
  const deltas = halves(text).map((part) => ({ type: "text_delta", text: part }));
  return { start: { type: "text", text: "" }, deltas };
}

function thinkingBlock(thinking: string): { start: object; deltas: object[] } {
  const parts = halves(thinking).map((part) => ({ type: "thinking_delta", thinking: part }));
  const start = { type: "thinking", thinking: "", signature: "" };
  return { start, deltas: [...parts, { type: "signature_delta", signature: "c2lnbmVk/+==" }] };
}

/** A completion of OpenAI's Chat Completions API, `[DONE]` included. */
export function openaiEvents({
  thinking,
  text,
  toolCalls = [],
  usage = { inputTokens: 10, outputTokens: 5 },
  stop = toolCalls.length > 0 ? "tool_use" : "end",
}: ScriptedAnswer): string[] {
  const deltas: object[] = [
    { role: "assistant", content: "", refusal: null },
    ...halves(thinking ?? "").map((part) => ({ reasoning_content: part })),
    ...halves(text ?? "").map((part) => ({ content: part })),
    ...toolCalls.flatMap(({ name, input = {}, id = `call_${name}`, inputError }, index) => {
      const json = inputError === undefined ? JSON.stringify(input) : String(input);
      const start = { index, id, type: "function", function: { name, arguments: "" } };
      const pieces = halves(json).map((part) => ({ index, function: { arguments: part } }));
      return [start, ...pieces].map((call) => ({ tool_calls: [call] }));
    }),
  ];
  const counts = { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens };
  return [
    ...deltas.map((delta) => openaiEvent({ choices: [choice(delta, null)], usage: null })),
    openaiEvent({ choices: [choice({}, openaiStops[stop])], usage: null }),
    openaiEvent({ choices: [], usage: counts }),
    "data: [DONE]\n\n",
  ];
}

/** One chunk of OpenAI. */
export function openaiEvent(fields: object): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
}

function choice(delta: object, reason: string | null): object {
  return { index: 0, delta, logprobs: null, finish_reason: reason };
}

const openaiStops = {
  end: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
  pause: "stop",
} as const;

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}
