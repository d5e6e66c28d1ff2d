import {
  blocksOf,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ToolResultBlock,
} from "../message.ts";
import type { ModelRequest } from "../model-provider.ts";
import { sendableBlocks, sendableMessages } from "./sendable-messages.ts";
import { inputToSend } from "./tool-input.ts";

/**
 * The body of a request to Anthropic. The kit's messages have Anthropic's shape already; what is left is
 * to hold back what it would refuse.
 *
 * @param parameters - fields that are set over the others
 */
export function anthropicRequest(
  { modelName, system, messages, tools, maxTokens }: ModelRequest,
  parameters: Readonly<Record<string, unknown>>,
): object {
  return {
    model: modelName,
    max_tokens: maxTokens,
    ...(system ? { system } : {}),
    messages: sendableMessages(messages, isKnown).map(({ role, content }) => ({
      role,
      content: content.map(blockToSend),
    })),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            input_schema: inputSchema,
          })),
        }
      : {}),
    ...parameters,
    stream: true,
  };
}

/** Blocks that Anthropic takes, beside the calls and results of tools, its own included. */
const known = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_reference",
  "thinking",
  "redacted_thinking",
  "compaction",
  "container_upload",
]);

function isKnown({ type }: ContentBlock): boolean {
  return known.has(type) || /(?:^|_)tool_(?:use|result)$/.test(type);
}

function blockToSend(block: ContentBlock): object {
  if (isToolUse(block)) {
    const { id, name, input } = block;
    return { type: "tool_use", id: idToSend(id), name, input: inputToSend(input) };
  }
  return isToolResult(block) && block.type === "tool_result" ? resultToSend(block) : block;
}

function resultToSend({ tool_use_id, content, is_error }: ToolResultBlock): object {
  const blocks = sendableBlocks(blocksOf(content), isKnown);
  const failed = is_error === true;
  return {
    type: "tool_result",
    tool_use_id: idToSend(tool_use_id),
    // A result may be empty, an error may not.
    ...(blocks.length > 0 ? { content: blocks } : failed ? { content: "no message" } : {}),
    ...(failed ? { is_error: true } : {}),
  };
}

/** Anthropic's ids are letters, digits, `_` and `-`; those of other vendors' models may hold more. */
function idToSend(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_");
}
