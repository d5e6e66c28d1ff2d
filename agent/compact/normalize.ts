import { agentLimits } from "../agent-limits.ts";
import {
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type Message,
} from "../message.ts";

/**
 * A conversation as a summarizing model can read it without the tools and the images that were there: calls and
 * results as text, long results cut in the middle, thinking left out.
 */
export function normalize(messages: readonly Message[]): Message[] {
  return messages
    .map(({ role, content }) => ({ role, content: content.flatMap(plainBlock) }))
    .filter(({ content }) => content.length > 0);
}

function plainBlock(block: ContentBlock): ContentBlock[] {
  if (isText(block)) return [block];
  if (isToolUse(block)) return [{ ...block, input: shortened(block.input) }];
  if (isToolResult(block)) {
    const parts = blocksOf(block.content).map((part) => (isText(part) ? part.text : named(part)));
    return [{ ...block, content: cut(parts.join("\n")) }];
  }
  if (block.type === "thinking" || block.type === "redacted_thinking") return [];
  return [{ type: "text", text: named(block) }];
}

function named(block: ContentBlock): string {
  return `[${block.type}]`;
}

/** A tool's input with long strings cut: the whole text of a file is not what a summary is made of. */
function shortened(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input ?? {}), (_key, value: unknown) =>
    typeof value === "string" ? cut(value) : value,
  ) as unknown;
}

function cut(text: string): string {
  const most = agentLimits.summaryToolCharacters;
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`.toWellFormed();
}
