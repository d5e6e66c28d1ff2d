import type { MessageContent, SessionEvent, StoredEvent } from "../src/index.ts";
import {
  blocksOf,
  isContent,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type Message,
  type ToolResultBlock,
} from "./message.ts";

/** What one event adds to the conversation. */
export interface ConversationEntry {
  readonly seq: number;
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
}

/** How the message begins that stands for everything a summary covers. */
export const summaryHeading = "Summary of the conversation so far:";

/** What an event adds to the conversation; null when a model is not told of it. */
export function entryOf({ seq, event }: StoredEvent): ConversationEntry | null {
  const content = contentOf(event);
  if (content === null || content.length === 0) return null;
  return { seq, role: event.type === "assistant" ? "assistant" : "user", content };
}

function contentOf(event: SessionEvent): readonly ContentBlock[] | null {
  switch (event.type) {
    case "user":
    case "assistant":
      return blocksOf(event.content);
    case "tool_result":
      return [resultBlock(event.callId, event.output, event.isError === true)];
    case "summary":
      return blocksOf(`${summaryHeading}\n\n${event.summary}`);
    case "background_completed": {
      const outcome = event.isError === true ? "failed" : "has ended";
      return blocksOf(`Background task ${event.taskId} ${outcome}: ${textOfOutput(event.output)}`);
    }
    case "restored":
      if (event.conversationRestored || event.restoredFiles.length === 0) return null;
      return blocksOf(
        `These files were put back to an earlier state: ${event.restoredFiles.join(", ")}`,
      );
    default:
      return null;
  }
}

/** A tool's output as the block a model gets. */
function resultBlock(callId: string, output: unknown, isError: boolean): ToolResultBlock {
  const content = isBlocks(output) ? output : textOfOutput(output);
  const block: ToolResultBlock = { type: "tool_result", tool_use_id: callId, content };
  return isError ? { ...block, is_error: true } : block;
}

function isBlocks(output: unknown): output is Exclude<MessageContent, string> {
  return typeof output !== "string" && isContent(output) && output.length > 0;
}

function textOfOutput(output: unknown): string {
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

/**
 * The messages a model gets for these entries, whatever log they come from: roles alternate, the first one is a
 * user's, each tool call is followed by its result, and a result nobody asked for is left out. A call without
 * a result, which only a foreign log can have in the middle, gets one that says so.
 */
export function messagesOf(entries: readonly ConversationEntry[]): Message[] {
  const results = resultsIn(entries);
  const messages: { role: Message["role"]; content: ContentBlock[] }[] = [];
  const say = (role: Message["role"], content: readonly ContentBlock[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content: [...content] });
  };
  for (const { role, content } of entries) {
    if (role === "user") {
      say(
        role,
        content.filter((block) => !isToolResult(block)),
      );
      continue;
    }
    if (messages.length === 0) say("user", blocksOf("(The conversation goes on.)"));
    say(role, content);
    const calls = content.filter(isToolUse);
    say(
      "user",
      calls.map(({ id }) => results.get(id) ?? resultBlock(id, "No result was recorded.", true)),
    );
  }
  return messages;
}

function resultsIn(entries: readonly ConversationEntry[]): Map<string, ToolResultBlock> {
  const blocks = entries.filter(({ role }) => role === "user").flatMap(({ content }) => content);
  return new Map(blocks.filter(isToolResult).map((block) => [block.tool_use_id, block]));
}
