import type {
  RawContentBlockDelta,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import { AgentError } from "../agent-error.ts";
import { isToolUse, type OtherBlock } from "../message.ts";
import type { ModelChunk, StopReason } from "../model-provider.ts";
import { inputToSend, parseToolInput } from "./tool-input.ts";
import type { AnswerReader } from "./vendor-stream.ts";

/** Anthropic's reasons to stop (docs.anthropic.com/en/build-with-claude/handling-stop-reasons). */
const stopReasons = new Map<string, StopReason>([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  ["model_context_window_exceeded", "max_tokens"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
  ["compaction", "pause"],
]);

/** Reads the events of one answer of Anthropic. */
export function readAnthropic(): AnswerReader<RawMessageStreamEvent> {
  const open = new Map<number, OpenBlock>();
  const usage = usageReader();
  let reason: string | null = null;
  let stopped = false;

  function accept(event: RawMessageStreamEvent): readonly ModelChunk[] {
    switch (event.type) {
      case "message_start": {
        // An answer that was known from the start comes here as a whole.
        const { content, stop_reason, usage: counts } = event.message;
        reason = stop_reason;
        return [...usage(counts), ...content.flatMap((block) => wholeBlock(block))];
      }
      case "content_block_start": {
        const block = openBlock(event.content_block);
        open.set(event.index, block);
        return begin(block);
      }
      case "content_block_delta": {
        const block = open.get(event.index);
        return block === undefined ? [] : extend(block, event.delta);
      }
      case "content_block_stop": {
        const block = open.get(event.index);
        open.delete(event.index);
        return block === undefined ? [] : finish(block);
      }
      case "message_delta":
        reason = event.delta.stop_reason ?? reason;
        return usage(event.usage);
      case "message_stop":
        stopped = true;
        return [];
      default:
        return [];
    }
  }

  return {
    accept,
    isWhole: () => stopped && reason !== null,
    end: () => [{ type: "stop", reason: stopReasonOf(reason) }],
  };
}

function stopReasonOf(said: string | null): StopReason {
  const reason = stopReasons.get(said ?? "");
  if (reason !== undefined) return reason;
  throw new AgentError("MODEL_FAILED", `anthropic: stopped for an unknown reason: ${said}`);
}

/** A block that is being written. */
interface OpenBlock {
  readonly type: string;
  readonly fields: Record<string, unknown>;
  /** The input of a tool so far. */
  json: string;
}

function openBlock({ type, ...fields }: OtherBlock | { readonly type: string }): OpenBlock {
  return { type, fields, json: "" };
}

function wholeBlock(block: { readonly type: string }): ModelChunk[] {
  const whole = openBlock(block);
  return [...begin(whole), ...finish(whole)];
}

function begin({ type, fields }: OpenBlock): ModelChunk[] {
  const text = type === "text" ? fields["text"] : type === "thinking" ? fields["thinking"] : "";
  if (typeof text !== "string" || text === "") return [];
  return [{ type: type === "text" ? "text" : "thinking", text }];
}

function extend(block: OpenBlock, delta: RawContentBlockDelta | CompactionDelta): ModelChunk[] {
  const { fields } = block;
  switch (delta.type) {
    case "text_delta":
      return delta.text === "" ? [] : [{ type: "text", text: delta.text }];
    case "thinking_delta":
      fields["thinking"] = `${textIn(fields["thinking"])}${delta.thinking}`;
      return delta.thinking === "" ? [] : [{ type: "thinking", text: delta.thinking }];
    case "signature_delta":
      fields["signature"] = delta.signature;
      return [];
    case "input_json_delta":
      block.json += delta.partial_json;
      return [];
    case "compaction_delta":
      fields["content"] = `${textIn(fields["content"])}${delta.content ?? ""}`;
      return [];
    default:
      return [];
  }
}

/** Of the beta of compaction on the server, which the stable types do not know. */
interface CompactionDelta {
  readonly type: "compaction_delta";
  readonly content?: string | null;
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

function finish({ type, fields, json }: OpenBlock): ModelChunk[] {
  if (type === "text") return [];
  // Cut off before its signature, it would be refused in every request to come.
  if (type === "thinking" && textIn(fields["signature"]) === "") return [];
  const block: OtherBlock = { type, ...fields };
  if (isToolUse(block)) {
    const { id, name, input } = block;
    const written = json === "" ? { input } : parseToolInput(json);
    return [{ type: "tool_use", id, name, ...written }];
  }
  if (json === "") return [{ type: "block", block }];
  const input = inputToSend(parseToolInput(json).input);
  return [{ type: "block", block: { ...block, input } }];
}

/** What Anthropic counts; fields may be missing in later events, and then stay as they were. */
interface TokenCounts {
  readonly input_tokens: number | null;
  readonly cache_creation_input_tokens: number | null;
  readonly cache_read_input_tokens: number | null;
  readonly output_tokens: number;
}

/** Turns Anthropic's counts into ours: tokens of the cache are input too, and counted apart there. */
function usageReader(): (counts: TokenCounts | null | undefined) => ModelChunk[] {
  let inputTokens = 0;
  return (counts) => {
    if (counts == null) return [];
    const { input_tokens: fresh, cache_creation_input_tokens, cache_read_input_tokens } = counts;
    if (fresh != null) {
      inputTokens = fresh + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
    }
    return [{ type: "usage", inputTokens, outputTokens: counts.output_tokens }];
  };
}
