import type { MessageContent } from "../src/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import { askModel, InterruptedAnswer, type Answer } from "./ask-model.ts";
import { messagesOf } from "./conversation.ts";
import { textOf } from "./message.ts";
import type { ModelProvider, StopReason } from "./model-provider.ts";
import { runTool, type ToolRun } from "./run-tool.ts";

/** How a turn ended. */
export interface TurnResult {
  readonly sessionId: string;
  /** Text of the last answer. */
  readonly text: string;
  /** As the model said, or `max_steps`. */
  readonly stopReason: StopReason | "max_steps";
  /** Of all requests of the turn together, as far as the vendor counted. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Requests to the model. */
  readonly steps: number;
}

/** What a turn needs beside its prompt. */
export interface TurnSetting extends ToolRun {
  readonly model: ModelProvider;
  readonly modelName: string;
  readonly system: string | undefined;
  readonly maxTokens: number;
  readonly maxSteps: number;
  readonly publish: (event: AgentEvent) => void;
}

/**
 * Runs a turn: the prompt, then answers and tools until the model stops. Each step is durable before the next one
 * begins.
 *
 * @throws the signal's reason, with what had arrived of the answer in the log and every tool call closed
 * @throws AgentError `MODEL_FAILED`; the session can go on with the next prompt
 * @throws CheckpointConflictError when somebody else changed the session
 */
export async function runTurn(
  setting: TurnSetting,
  prompt: MessageContent,
  signal: AbortSignal,
): Promise<TurnResult> {
  const { log, maxSteps } = setting;
  const usage = { inputTokens: 0, outputTokens: 0 };
  await log.append([{ type: "user", content: prompt, origin: "input" }]);
  for (let steps = 1; ; steps++) {
    const { event, calls, reason } = await answer(setting, signal);
    await log.append([event]);
    usage.inputTokens += event.usage?.inputTokens ?? 0;
    usage.outputTokens += event.usage?.outputTokens ?? 0;
    // One after the other: a model may rely on the order in which it asked for changes.
    for (const call of calls) await runTool(setting, call, signal);
    signal.throwIfAborted();
    const goesOn = calls.length > 0 || reason === "pause";
    if (goesOn && steps < maxSteps) continue;
    const stopReason = goesOn ? "max_steps" : reason;
    return { sessionId: log.sessionId, text: textOf(event.content), stopReason, usage, steps };
  }
}

async function answer(setting: TurnSetting, signal: AbortSignal): Promise<Answer> {
  const { log, model, modelName, system, maxTokens, tools, publish } = setting;
  const messages = messagesOf(log.state.conversation);
  const request = { modelName, system, messages, tools: [...tools.values()], maxTokens };
  try {
    return await askModel(model, request, publish, signal);
  } catch (error) {
    if (!(error instanceof InterruptedAnswer)) throw error;
    if (error.event !== null) await log.append([error.event]);
    throw error.cause;
  }
}
