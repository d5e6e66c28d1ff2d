import type { ModelRequest } from "../model-provider.ts";
import { sha256 } from "../sha256.ts";

/**
 * An id for a tool call that has none. It is made from the conversation so far, so it is the same when
 * the same request is answered again, and another one everywhere else in a session, in a new process too.
 *
 * @param position - which call of the answer, from 0
 */
export function callId({ messages }: ModelRequest, position: number): string {
  const digest = sha256(JSON.stringify(messages));
  return `call_${messages.length}_${digest.slice(0, 12)}_${position}`;
}
