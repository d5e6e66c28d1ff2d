import type { MessageContent, SessionEvent, UserEvent } from "../src/index.ts";
import { isToolResult, textOf } from "./message.ts";
import { isWellFormed } from "./well-formed.ts";

/** How texts begin that programs put into a user's mouth, in logs which do not say who spoke. */
const machineOpenings =
  /^\s*(?:<(?:system-reminder|command-|local-command|bash-|user-memory|task-notification|ide_)|\[Request interrupted|Caveat: The messages below|This session is being continued from)/;

/**
 * Whether a person typed this: then it is a checkpoint. Logs of this kit say so. For others the doubt is against
 * it: text that programs are known to insert, and tool results in a user's mouth, are none.
 */
export function isPrompt(event: SessionEvent): event is UserEvent {
  if (event.type !== "user" || !isWellFormed(event)) return false;
  if (event.origin !== undefined) return event.origin === "input";
  const { content } = event;
  if (typeof content !== "string" && content.some(isToolResult)) return false;
  const text = textOf(content);
  const isEmpty = typeof content === "string" ? text.trim() === "" : content.length === 0;
  return !isEmpty && !machineOpenings.test(text);
}

/** A prompt as one line of text; images and other blocks by their type. */
export function promptText(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? String(block["text"]) : `[${block.type}]`))
    .join(" ");
}
