import type { Context } from "../context.ts";
import { isInteractive } from "../input/ask-secret.ts";
import { pipedLines } from "./piped-lines.ts";
import { terminalLines } from "./terminal-lines.ts";

/** Where a chat's lines come from. */
export interface ChatLines {
  /**
   * The next line, null at the end.
   *
   * @throws Interruption when the person leaves with Ctrl-C
   */
  next(): Promise<string | null>;
  /**
   * Runs what a line asked for.
   *
   * @param work - gets a signal that Ctrl-C aborts
   * @throws Interruption when the person leaves instead of waiting for the end
   */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives the terminal back. Idempotent. */
  close(): void;
}

/**
 * Lines of a person at a terminal, else those of standard input.
 *
 * @param past - what the up arrow goes back to, the oldest first
 */
export function chatLines(context: Context, past: readonly string[]): ChatLines {
  return isConversation(context) ? terminalLines(context, past) : pipedLines(context);
}

/** Whether a person types, and sees what is answered. */
export function isConversation(context: Context): boolean {
  return isInteractive(context) && context.io.stdout.isTTY === true;
}
