import type { AssistantEvent } from "../src/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import { AgentError } from "./agent-error.ts";
import type { ContentBlock, OtherBlock, ToolUseBlock } from "./message.ts";
import type { ModelProvider, ModelRequest, StopReason } from "./model-provider.ts";

/** A model's whole answer. */
export interface Answer {
  readonly event: AssistantEvent;
  readonly calls: readonly AnsweredCall[];
  readonly reason: StopReason;
}

/** A tool call of an answer; with `inputError` it is not to be run. */
export interface AnsweredCall extends ToolUseBlock {
  readonly inputError?: string | undefined;
}

/** An answer that was cut off, with what had arrived, so that it need not be lost. */
export class InterruptedAnswer extends Error {
  /** Null when nothing had arrived that can be kept. */
  readonly event: AssistantEvent | null;

  constructor(event: AssistantEvent | null, cause: unknown) {
    super("The answer was cut off", { cause });
    this.name = "InterruptedAnswer";
    this.event = event;
  }
}

/**
 * Sends one request and collects the answer, handing over text as it comes.
 *
 * @throws InterruptedAnswer whose cause is the abort's reason or the provider's error
 */
export async function askModel(
  model: ModelProvider,
  request: ModelRequest,
  publish: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const content: ContentBlock[] = [];
  const calls: AnsweredCall[] = [];
  let usage: AssistantEvent["usage"];
  let text = "";
  const endText = (): void => {
    if (text !== "") content.push({ type: "text", text: text.toWellFormed() });
    text = "";
  };
  const event = (blocks: readonly ContentBlock[], interrupted: boolean): AssistantEvent => ({
    type: "assistant",
    content: blocks as readonly OtherBlock[],
    model: request.modelName,
    ...(usage === undefined ? {} : { usage }),
    ...(interrupted ? { interrupted } : {}),
  });
  try {
    signal.throwIfAborted();
    for await (const chunk of model.stream(request, signal)) {
      switch (chunk.type) {
        case "text":
          text += chunk.text;
          publish(chunk);
          break;
        case "thinking":
          publish(chunk);
          break;
        case "block":
          endText();
          content.push(chunk.block);
          break;
        case "tool_use": {
          endText();
          const { id, name, input, inputError } = chunk;
          // Vendors refuse a call whose input is no object when it is sent back to them.
          const block = {
            type: "tool_use",
            id,
            name,
            input: inputError === undefined ? input : {},
          };
          content.push(block);
          calls.push({ type: "tool_use", id, name, input, inputError });
          break;
        }
        case "usage":
          usage = { inputTokens: chunk.inputTokens, outputTokens: chunk.outputTokens };
          break;
        case "stop":
          endText();
          return { event: event(content, false), calls, reason: chunk.reason };
        default:
          throw unknownChunk(model, chunk);
      }
      signal.throwIfAborted();
    }
    throw new AgentError("MODEL_FAILED", `${model.id}: the answer ended without saying why`);
  } catch (error) {
    endText();
    // A call that was never run, or thinking without the answer it belongs to, is of no use to anybody.
    const kept = content.filter(({ type }) => type === "text");
    throw new InterruptedAnswer(kept.length === 0 ? null : event(kept, true), error);
  }
}

function unknownChunk(model: ModelProvider, chunk: never): AgentError {
  const { type } = chunk as { type?: unknown };
  return new AgentError("MODEL_FAILED", `${model.id}: met a chunk of type ${String(type)}`);
}
