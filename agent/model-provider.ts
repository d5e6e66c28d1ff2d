import type { Message, OtherBlock } from "./message.ts";

/**
 * A language model, reduced to what a session needs. Written by you, or `anthropic()`, `openai()` and
 * `scriptedModel()`.
 */
export interface ModelProvider {
  /** Names the vendor in events and errors: `"anthropic"`. */
  readonly id: string;
  /**
   * One request. The chunks come as the model makes them; the last one is `stop`, and a stream that
   * ends without it counts as broken.
   *
   * @param signal - ends the request; the iterable then throws `signal.reason`
   * @throws AgentError `MODEL_FAILED` for anything the vendor refuses or a connection that breaks, after
   * the retries that are safe: nothing is repeated once a chunk was handed over. The message never holds
   * a key or a header
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** What a model is asked. */
export interface ModelRequest {
  /** The vendor's name of the model. */
  readonly modelName: string;
  readonly system?: string | undefined;
  /** Starts with a user message; roles alternate. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Tokens the model may write at most. */
  readonly maxTokens: number;
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  /** 1 to 64 letters, digits, `_` and `-`: what both vendors allow. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
}

/** A piece of a model's answer. */
export type ModelChunk =
  /** The next characters of the answer's text. */
  | { readonly type: "text"; readonly text: string }
  /** The next characters of what the model thinks, to be shown and not kept. */
  | { readonly type: "thinking"; readonly text: string }
  /** A whole block that is neither text nor a tool call, kept in its place: thinking with its signature. */
  | { readonly type: "block"; readonly block: OtherBlock }
  /** A whole tool call. `inputError` says why `input` could not be read; the raw text is `input` then. */
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly inputError?: string | undefined;
    }
  /** Tokens of this request so far, input from and into a cache included; the last one counts. */
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly type: "stop"; readonly reason: StopReason };

/**
 * Why a model stopped: it was done; it waits for tools; `maxTokens` was reached; it refused to answer;
 * the vendor wants the same conversation sent again, answer included, to go on.
 */
export type StopReason = "end" | "tool_use" | "max_tokens" | "refusal" | "pause";
