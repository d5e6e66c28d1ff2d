import { AgentError } from "../agent-error.ts";
import { summaryHeading } from "../conversation.ts";
import { isText, isToolUse, textOf, type Message } from "../message.ts";
import type { ModelProvider } from "../model-provider.ts";

/** Writes summaries. Written by you, or `modelCompactor` and `extractiveCompactor`. */
export interface Compactor {
  /** Names it in events and errors. */
  readonly id: string;
  /**
   * Summarizes a conversation. Whatever it throws ends the compaction, and the session stays as it was.
   *
   * @returns text that stands for the conversation from now on; not empty
   */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<string>;
}

/** What a compactor is given. */
export interface SummaryRequest {
  /** The conversation as text: images are named, long tool outputs are cut. An earlier summary comes first. */
  readonly messages: readonly Message[];
  /** What the person wants to be kept. */
  readonly instructions: string | undefined;
}

const task =
  "Summarize the conversation above for yourself, so that you can go on working with the summary alone. Keep: what " +
  "the user wants and said not to do, decisions and their reasons, names of files, functions and commands, what is " +
  "done and how it was checked, what is open. Write plain text and nothing else.";

/** A compactor that asks a model: by default the agent's own. */
export function modelCompactor(options: {
  readonly model: ModelProvider;
  readonly modelName: string;
  /** Tokens a summary may have. Default 4,096. */
  readonly maxTokens?: number | undefined;
}): Compactor {
  const { model, modelName, maxTokens = 4_096 } = options;
  return {
    id: `model:${model.id}`,
    async summarize({ messages, instructions }, signal) {
      const wish =
        instructions === undefined ? "" : `\n\nThe user asks you to keep: ${instructions}`;
      const question: Message = { role: "user", content: [{ type: "text", text: task + wish }] };
      const request = { modelName, messages: joined(messages, question), tools: [], maxTokens };
      let summary = "";
      for await (const chunk of model.stream(request, signal)) {
        if (chunk.type === "text") summary += chunk.text;
        // Half a summary would replace a whole conversation.
        else if (chunk.type === "stop" && chunk.reason === "end") return summary.toWellFormed();
        else if (chunk.type === "stop") throw unusable(model, chunk.reason);
      }
      throw unusable(model, "nothing");
    },
  };
}

/** Roles have to alternate, and the conversation often ends with the user's results. */
function joined(messages: readonly Message[], question: Message): Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, question];
  return [
    ...messages.slice(0, -1),
    { role: "user", content: [...last.content, ...question.content] },
  ];
}

function unusable(model: ModelProvider, reason: string): AgentError {
  return new AgentError(
    "MODEL_FAILED",
    `${model.id}: wanted a whole summary, it ended with ${reason}`,
  );
}

/**
 * A compactor without a model, always the same for the same conversation: what the user asked, which tools were
 * called with what, and how the last answer begins. For tests, for demonstrations, and where nothing may leave the
 * machine.
 */
export function extractiveCompactor(): Compactor {
  return {
    id: "extractive",
    summarize({ messages, instructions }) {
      const texts = messages
        .filter(({ role }) => role === "user")
        .flatMap(({ content }) => content.filter(isText))
        .map(({ text }) => text);
      const earlier = texts.filter((text) => text.startsWith(summaryHeading));
      const asked = texts.filter((text) => !text.startsWith(summaryHeading)).map(firstLine);
      const calls = messages.flatMap(({ content }) => content.filter(isToolUse));
      const answers = messages.filter(({ role }) => role === "assistant");
      const lines = [
        ...earlier.map((text) => text.slice(summaryHeading.length).trim()),
        ...(instructions === undefined ? [] : [`Keep in mind: ${instructions}`]),
        "The user asked:",
        ...asked.filter((line) => line !== "").map((line) => `- ${line}`),
        ...(calls.length === 0 ? [] : ["Tools were called:"]),
        ...calls.map(({ name, input }) => `- ${name} ${targetOf(input)}`),
        `The last answer was: ${firstLine(textOf(answers.at(-1)?.content ?? []))}`,
      ];
      return Promise.resolve(lines.join("\n"));
    },
  };
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 200).toWellFormed();
}

function targetOf(input: unknown): string {
  const path = (input as { path?: unknown } | null)?.path;
  return typeof path === "string" ? path : "";
}
