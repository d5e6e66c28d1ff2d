import type { ContentBlock, OtherBlock } from "../message.ts";

const type = "reasoning_content";

/**
 * What a server shows of a model's reasoning in its field `reasoning_content`. Some want it back with
 * the calls that followed from it (DeepSeek answers 400 without, api-docs.deepseek.com/guides/thinking_mode),
 * others refuse the field (Groq), so it is sent to the model that wrote it and to no other.
 */
export function reasoningBlock(modelName: string, text: string): OtherBlock {
  return { type, modelName, text };
}

/** The reasoning in a block that `modelName` wrote, which may be empty; undefined for any other block. */
export function reasoningOf(modelName: string, block: ContentBlock): string | undefined {
  if (block.type !== type) return undefined;
  const { modelName: writer, text } = block;
  return writer === modelName && typeof text === "string" ? text : undefined;
}
