import type { MessageContent } from "../src/index.ts";
import { isObject } from "./json-object.ts";

/**
 * One message of the conversation as a model gets it. Roles alternate; several tool results that follow
 * one assistant message are blocks of one user message.
 */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
}

/**
 * A part of a message. The shapes are those of Anthropic's Messages API
 * (docs.anthropic.com/en/api/messages); the provider of another vendor translates them.
 */
export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock | OtherBlock;

/** Text of a person or of the model. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** The model asks for a tool. `id` is what its result refers to. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a tool gave back. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: MessageContent;
  readonly is_error?: boolean | undefined;
}

/**
 * Anything else, kept as it came: images, thinking with its signature, what a vendor adds next year. A
 * provider passes on the blocks it knows and leaves out the others.
 */
export interface OtherBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Whether a block is text. */
export function isText(block: ContentBlock): block is TextBlock {
  return block.type === "text" && typeof (block as OtherBlock)["text"] === "string";
}

/** Whether a block asks for a tool. */
export function isToolUse(block: ContentBlock): block is ToolUseBlock {
  const { type, id, name } = block as OtherBlock;
  return type === "tool_use" && typeof id === "string" && typeof name === "string";
}

/** Whether a block is the result of a tool. */
export function isToolResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === "tool_result" && typeof (block as OtherBlock)["tool_use_id"] === "string";
}

/** Content as blocks: a string is one text block, an empty one none. */
export function blocksOf(content: MessageContent): readonly ContentBlock[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** Whether a value is content as an event holds it: text, or blocks that each have a type. */
export function isContent(value: unknown): value is MessageContent {
  return typeof value === "string" || (Array.isArray(value) && value.every(isTypedBlock));
}

function isTypedBlock(value: unknown): boolean {
  return isObject(value) && typeof value["type"] === "string";
}

/** All text of a message's content, other blocks left out. */
export function textOf(content: MessageContent | readonly ContentBlock[]): string {
  return blocksOf(content as MessageContent)
    .filter(isText)
    .map((block) => block.text)
    .join("");
}
