import {
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  type ContentBlock,
  type Message,
  type OtherBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../message.ts";
import type { ModelRequest } from "../model-provider.ts";
import { reasoningOf } from "./reasoning-block.ts";
import { sendableMessages } from "./sendable-messages.ts";
import { inputToSend } from "./tool-input.ts";

/**
 * The body of a request to OpenAI's Chat Completions API.
 *
 * @param baseURL - decides how the limit is called
 * @param parameters - fields that are set over the others
 */
export function openaiRequest(
  { modelName, system, messages, tools, maxTokens }: ModelRequest,
  baseURL: string,
  parameters: Readonly<Record<string, unknown>>,
): object {
  const isKnown = (block: ContentBlock): boolean =>
    isText(block) ||
    isToolUse(block) ||
    isToolResult(block) ||
    partOf(block) !== undefined ||
    reasoningOf(modelName, block) !== undefined;
  return {
    model: modelName,
    messages: [
      ...(system ? [{ role: "system", content: system }] : []),
      ...sendableMessages(messages, isKnown).flatMap((message) =>
        message.role === "user" ? userMessages(message) : [assistantMessage(message, modelName)],
      ),
    ],
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            function: { name, description, parameters: inputSchema },
          })),
        }
      : {}),
    [limitName(baseURL)]: maxTokens,
    stream_options: { include_usage: true },
    ...parameters,
    stream: true,
  };
}

/** OpenAI's newer models refuse the old name; many other servers know no other, and would set no limit. */
function limitName(baseURL: string): "max_completion_tokens" | "max_tokens" {
  const hostname = URL.canParse(baseURL) ? new URL(baseURL).hostname : "";
  const isOpenai = /(?:^|\.)openai\.(?:azure\.)?com$/.test(hostname);
  return isOpenai ? "max_completion_tokens" : "max_tokens";
}

/** Results are messages of their own and come first; a message of a tool holds no images, so they follow. */
function userMessages({ content }: Message): object[] {
  const results = content.filter(isToolResult);
  const said = [
    ...results.flatMap(({ content: shown }) => blocksOf(shown).filter((block) => !isText(block))),
    ...content,
  ];
  const parts = said.map(partOf).filter((part) => part !== undefined);
  const messages: object[] = results.map(resultToSend);
  if (parts.length > 0) messages.push({ role: "user", content: plainIfText(parts) });
  return messages;
}

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/** Text and images as OpenAI takes them; undefined for any other block. */
function partOf(block: ContentBlock): Part | undefined {
  if (isText(block)) return { type: "text", text: block.text };
  const { type, source } = block as OtherBlock;
  if (type !== "image" || typeof source !== "object" || source === null) return undefined;
  const image = source as Readonly<Record<string, unknown>>;
  if (image["type"] === "url") return imagePart(image["url"]);
  if (image["type"] !== "base64") return undefined;
  return imagePart(`data:${String(image["media_type"])};base64,${String(image["data"])}`);
}

function imagePart(url: unknown): Part | undefined {
  return typeof url === "string" ? { type: "image_url", image_url: { url } } : undefined;
}

/** Many servers want plain text wherever there is nothing else. */
function plainIfText(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

/** There is no field that says a tool failed, so its text does. */
function resultToSend({ tool_use_id, content, is_error }: ToolResultBlock): object {
  const text = blocksOf(content)
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
  return {
    role: "tool",
    tool_call_id: tool_use_id,
    content: is_error === true ? `Error: ${text}` : text,
  };
}

function assistantMessage({ content }: Message, modelName: string): object {
  const calls = content.filter(isToolUse);
  const text = textOf(content);
  const reasoning = content
    .map((block) => reasoningOf(modelName, block))
    .filter((part) => part !== undefined);
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join("") } : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map(callToSend) } : {}),
  };
}

function callToSend({ id, name, input }: ToolUseBlock): object {
  return {
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(inputToSend(input)) },
  };
}
