import type { Context } from "../context.ts";
import { isInteractive } from "../input/ask-secret.ts";
import type { ChatLines } from "./chat-lines.ts";
import { pipedLines } from "./piped-lines.ts";
import { terminalLines } from "./terminal-lines.ts";

/**
 * Lines of a person at a terminal, else those of standard input.
 *
 * @param past - what the up arrow goes back to, the oldest first
 */
export function openChatLines(context: Context, past: readonly string[]): ChatLines {
  return isConversation(context) ? terminalLines(context, past) : pipedLines(context);
}

/** Whether a person types, and sees what is answered. */
export function isConversation(context: Context): boolean {
  return isInteractive(context) && context.io.stdout.isTTY === true;
}
