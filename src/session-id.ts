import { CheckpointError } from "./errors.ts";
import { typeName } from "./head-token.ts";
import { limits } from "./limits.ts";
import { utf8Length } from "./utf8.ts";

/**
 * Checks that `id` can name a session: a well-formed string of 1 to 512 UTF-8 bytes without U+0000.
 * The same set on every adapter.
 *
 * @throws CheckpointError `INVALID_SESSION_ID`
 */
export function requireSessionId(id: unknown): asserts id is string {
  const fault = faultOf(id);
  if (fault === null) return;
  throw new CheckpointError(
    "INVALID_SESSION_ID",
    `Invalid session id: wanted a well-formed string of 1 to ${limits.maxSessionIdBytes} UTF-8 ` +
      `bytes without U+0000, met ${fault}`,
  );
}

function faultOf(id: unknown): string | null {
  if (typeof id !== "string") return typeName(id);
  if (id.length === 0) return "an empty string";
  if (id.includes("\0")) return "a string with U+0000";
  if (!id.isWellFormed()) return "a string with an unpaired surrogate";
  // A UTF-16 unit takes at most three bytes, so most ids need no count.
  if (id.length * 3 > limits.maxSessionIdBytes && utf8Length(id) > limits.maxSessionIdBytes) {
    return `${utf8Length(id)} bytes`;
  }
  return null;
}
