import {
  isCheckpointError,
  type Codec,
  type CodecContext,
  type ErrorCode,
} from "../../src/index.ts";
import type { Check } from "../check.ts";
import { copyOf } from "./sealed-record.ts";

/** What decode may say about bytes that it cannot decode exactly. */
const refusalCodes: readonly ErrorCode[] = [
  "PLAINTEXT_IN_SEALED_LOG",
  "UNSUPPORTED_FORMAT",
  "KEY_UNKNOWN",
  "KEY_DISABLED",
  "WRONG_KEY",
  "AUTH_FAILED",
  "DECODE_FAILED",
  "LIMIT_EXCEEDED",
];

/** What decode did with bytes. */
export type Answer =
  { readonly bytes: Uint8Array } | { readonly error: unknown } | { readonly other: unknown };

/** Runs decode, whatever comes of it. */
export async function answerOf(
  codec: Codec,
  record: Uint8Array,
  place: CodecContext,
): Promise<Answer> {
  try {
    const result: unknown = await codec.decode(Uint8Array.from(record), copyOf(place));
    return result instanceof Uint8Array ? { bytes: result } : { other: result };
  } catch (error) {
    return { error };
  }
}

/** decode refuses a record with one of the codes; returns the error. */
export async function refuses(
  check: Check,
  codec: Codec,
  { what, record, place }: { what: string; record: Uint8Array; place: CodecContext },
  codes: readonly ErrorCode[] = refusalCodes,
): Promise<unknown> {
  const answer = await answerOf(codec, record, place);
  check.ok(
    isRefusal(answer, codes),
    `a record with ${what}: wanted ${codes.join(" or ")}, met ${show(answer)}`,
  );
  return "error" in answer ? answer.error : undefined;
}

/** decode gives bytes, or refuses as documented. */
export function answersProperly(check: Check, answer: Answer, what: string): void {
  check.ok(
    "bytes" in answer || isRefusal(answer, refusalCodes),
    `${what}: wanted bytes or a CodecError, met ${show(answer)}`,
  );
}

function isRefusal(answer: Answer, codes: readonly ErrorCode[]): boolean {
  return "error" in answer && codes.some((code) => isCheckpointError(answer.error, code));
}

/** Names no more than a kind of error: its message may hold what nobody should read in a report. */
function show(answer: Answer): string {
  if ("bytes" in answer) return `${answer.bytes.length} bytes`;
  if ("other" in answer) return `a result that is no bytes`;
  const { error } = answer;
  if (isCheckpointError(error)) return error.code;
  return error instanceof Error ? error.name : "something thrown that is no error";
}
