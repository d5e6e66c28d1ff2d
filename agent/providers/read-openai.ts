import { AgentError } from "../agent-error.ts";
import type { ModelChunk, ModelRequest, StopReason } from "../model-provider.ts";
import { callId } from "./call-id.ts";
import { reasoningBlock } from "./reasoning-block.ts";
import { parseToolInput } from "./tool-input.ts";
import type { AnswerReader } from "./vendor-stream.ts";

/**
 * A chunk of a streamed completion (platform.openai.com/docs/api-reference/chat-streaming), as loosely
 * as the servers that speak this protocol send it.
 */
export interface CompletionChunk {
  readonly choices?: readonly Choice[] | null;
  readonly usage?: {
    readonly prompt_tokens?: number | null;
    readonly completion_tokens?: number | null;
  } | null;
}

interface Choice {
  readonly delta?: Delta | null;
  readonly finish_reason?: string | null;
}

interface Delta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  /** DeepSeek, xAI, Alibaba, vLLM, llama.cpp. */
  readonly reasoning_content?: string | null;
  /** Groq, OpenRouter, newer vLLM: to be shown only. */
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

interface CallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
}

const stopReasons = new Map<string, StopReason>([
  ["stop", "end"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

/** Reads the chunks of one answer of OpenAI's Chat Completions API. */
export function readOpenai(request: ModelRequest): AnswerReader<CompletionChunk> {
  const calls = callCollector();
  let reasoning: string | undefined;
  let refused = false;
  let reason: string | undefined;

  /** The reasoning is over when the answer begins. */
  function reasoned(): ModelChunk[] {
    if (reasoning === undefined) return [];
    const block = reasoningBlock(request.modelName, reasoning);
    reasoning = undefined;
    return [{ type: "block", block }];
  }

  function acceptDelta(delta: Delta): ModelChunk[] {
    const chunks: ModelChunk[] = [];
    const { content, refusal, reasoning_content: kept, tool_calls } = delta;
    if (typeof kept === "string") reasoning = `${reasoning ?? ""}${kept}`;
    const thought = kept || delta.reasoning;
    if (thought) chunks.push({ type: "thinking", text: thought });
    const text = content || refusal;
    if (refusal) refused = true;
    if (text) chunks.push(...reasoned(), { type: "text", text });
    tool_calls?.forEach(calls.add);
    return chunks;
  }

  return {
    accept({ choices, usage }) {
      const choice = choices?.[0];
      const chunks = choice?.delta == null ? [] : acceptDelta(choice.delta);
      reason = choice?.finish_reason ?? reason;
      if (usage != null) {
        const { prompt_tokens, completion_tokens } = usage;
        chunks.push({
          type: "usage",
          inputTokens: prompt_tokens ?? 0,
          outputTokens: completion_tokens ?? 0,
        });
      }
      return chunks;
    },
    isWhole: () => reason !== undefined,
    end() {
      const whole = calls.all();
      const stop = refused ? "refusal" : stopReasonOf(reason);
      return [
        ...reasoned(),
        ...whole.map(({ id, name, json }, position): ModelChunk => ({
          type: "tool_use",
          id: id === "" ? callId(request, position) : id,
          name,
          ...parseToolInput(json),
        })),
        // Some say `stop` behind calls, as OpenAI does behind those it was told to make.
        { type: "stop", reason: stop === "end" && whole.length > 0 ? "tool_use" : stop },
      ];
    },
  };
}

function stopReasonOf(said: string | undefined): StopReason {
  const reason = stopReasons.get(said ?? "");
  if (reason !== undefined) return reason;
  throw new AgentError("MODEL_FAILED", `openai: stopped for an unknown reason: ${said}`);
}

interface Call {
  id: string;
  name: string;
  json: string;
}

/** Puts calls together from their pieces, which belong together by `index`. */
function callCollector(): { add: (delta: CallDelta) => void; all: () => readonly Call[] } {
  const calls: Call[] = [];
  const byIndex = new Map<number, Call>();

  function callOf(index: number, id: string): Call {
    const call = byIndex.get(index);
    // There are servers that give every call the index 0, or none.
    if (call !== undefined && (id === "" || call.id === "" || call.id === id)) return call;
    const next = { id, name: "", json: "" };
    calls.push(next);
    byIndex.set(index, next);
    return next;
  }

  return {
    add({ index, id, function: written }) {
      const call = callOf(index ?? 0, id ?? "");
      if (call.id === "") call.id = id ?? "";
      if (call.name === "") call.name = written?.name ?? "";
      call.json += written?.arguments ?? "";
    },
    all: () => calls,
  };
}
