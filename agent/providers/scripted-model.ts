import { setImmediate } from "node:timers/promises";
import { AgentError } from "../agent-error.ts";
import type { ModelChunk, ModelProvider, ModelRequest, StopReason } from "../model-provider.ts";
import { callId } from "./call-id.ts";
import { untilAborted } from "./until-aborted.ts";

/** One answer of a {@link scriptedModel}; its parts come in this order. */
export interface ScriptedAnswer {
  /** Shown as it comes, and kept as a block with the signature `scripted`. */
  readonly thinking?: string | undefined;
  readonly text?: string | undefined;
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  /** What to report; nothing is when it is left out. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** Fails in place of stopping: text becomes an AgentError `MODEL_FAILED`, an Error is thrown as it is. */
  readonly error?: string | Error | undefined;
  /** Default: `tool_use` with tool calls, else `end`. */
  readonly stop?: StopReason | undefined;
}

/** A tool call of a {@link ScriptedAnswer}. */
export interface ScriptedToolCall {
  readonly name: string;
  /** Default `{}`. */
  readonly input?: unknown;
  /** Default: one made from the conversation so far, so no two in a session are equal. */
  readonly id?: string | undefined;
  /** As of an input that could not be read; `input` is its raw text then. */
  readonly inputError?: string | undefined;
}

/** An answer, or how to make it from the request; an abort does not wait for it. */
export type ScriptedStep =
  | ScriptedAnswer
  | ((request: ModelRequest, signal: AbortSignal) => ScriptedAnswer | Promise<ScriptedAnswer>);

/**
 * A model that answers what it was told to: for tests and demonstrations. Each request takes the next
 * step; text comes word by word, and the event loop goes round between two chunks.
 *
 * @throws AgentError `MODEL_FAILED` from `stream()` when the steps are used up, or as a step says
 */
export function scriptedModel(steps: readonly ScriptedStep[]): ModelProvider {
  let taken = 0;
  return {
    id: "scripted",
    async *stream(request, signal) {
      signal.throwIfAborted();
      const step = steps[taken];
      taken += 1;
      if (step === undefined) {
        const wanted = `step ${taken} was wanted, the script has ${steps.length}`;
        throw new AgentError("MODEL_FAILED", `scripted: ${wanted}`);
      }
      const answer = await untilAborted(answerOf(step, request, signal), signal);
      for (const chunk of chunksOf(answer, request)) {
        await setImmediate();
        signal.throwIfAborted();
        yield chunk;
      }
    },
  };
}

async function answerOf(
  step: ScriptedStep,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ScriptedAnswer> {
  return typeof step === "function" ? step(request, signal) : step;
}

function* chunksOf(answer: ScriptedAnswer, request: ModelRequest): Generator<ModelChunk> {
  const { thinking, text, toolCalls = [], usage, error, stop } = answer;
  if (thinking !== undefined) {
    for (const word of wordsOf(thinking)) yield { type: "thinking", text: word };
    yield { type: "block", block: { type: "thinking", thinking, signature: "scripted" } };
  }
  for (const word of wordsOf(text ?? "")) yield { type: "text", text: word };
  for (const [position, { name, input = {}, id, inputError }] of toolCalls.entries()) {
    const call = { type: "tool_use", id: id ?? callId(request, position), name, input } as const;
    yield inputError === undefined ? call : { ...call, inputError };
  }
  if (usage !== undefined) yield { type: "usage", ...usage };
  if (error !== undefined) throw failureOf(error);
  yield { type: "stop", reason: stop ?? (toolCalls.length > 0 ? "tool_use" : "end") };
}

/** Words with the space behind them; together they are the text again. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function failureOf(error: string | Error): Error {
  return typeof error === "string" ? new AgentError("MODEL_FAILED", `scripted: ${error}`) : error;
}
