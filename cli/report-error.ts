import { AgentError } from "../agent/agent-error.ts";
import { isCheckpointError, type ErrorCode } from "../src/index.ts";
import type { Context } from "./context.ts";
import { escapeText } from "./output/escape.ts";
import { redact } from "./redact.ts";

/** Prints an error as one line on standard error. Never a stack trace, never a secret. */
export async function complain(context: Context, error: unknown): Promise<void> {
  try {
    await context.errors.line(`ckpt: ${oneLine(error)}`);
    await context.errors.flush();
  } catch {
    // Nobody reads standard error; the exit code still tells.
  }
}

/** What to do about an error, where its own message cannot know. */
const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  SEALED_IN_PLAIN_LOG: "; name its key with --key-file",
  PLAINTEXT_IN_SEALED_LOG: "; if it was never sealed, ckpt adopt seals it",
};

/** An argument that is quoted back can be as long as the system allows. */
const maxCharacters = 2000;

/** An error as one line that is safe to print. */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const line = message
    .slice(0, maxCharacters)
    .trim()
    .replace(/\s*\n\s*/g, " ");
  return redact(escapeText(line)) + code;
}

function codeOf(error: unknown): string {
  if (error instanceof AgentError) return ` (${error.code})`;
  return isCheckpointError(error) ? `${hints[error.code] ?? ""} (${error.code})` : "";
}
