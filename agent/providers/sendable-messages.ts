import { isText, type ContentBlock, type Message } from "../message.ts";

/**
 * Messages as every vendor takes them: without blocks it does not know, without blank text (which
 * Anthropic refuses), without messages that are empty then, and with roles that alternate again.
 */
export function sendableMessages(
  messages: readonly Message[],
  isKnown: (block: ContentBlock) => boolean,
): Message[] {
  const kept: Message[] = [];
  for (const { role, content } of messages) {
    const blocks = sendableBlocks(content, isKnown);
    const last = kept.at(-1);
    if (blocks.length === 0) continue;
    if (last?.role !== role) kept.push({ role, content: blocks });
    else kept[kept.length - 1] = { role, content: [...last.content, ...blocks] };
  }
  return kept;
}

/** The blocks that can be sent: known ones, and no blank text. */
export function sendableBlocks(
  blocks: readonly ContentBlock[],
  isKnown: (block: ContentBlock) => boolean,
): ContentBlock[] {
  return blocks.filter((block) => isKnown(block) && !(isText(block) && block.text.trim() === ""));
}
