import type { SessionEvent } from "../src/index.ts";
import { isObject, type JsonObject } from "./json-object.ts";
import { isContent } from "./message.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isSeq: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const isHash: Check = (value) => value === null || isText(value);

const isImage: Check = (value) =>
  isObject(value) &&
  (value["state"] === "absent" ||
    (Number.isSafeInteger(value["mode"]) && images.get(value["state"])?.(value) === true));

const images = new Map<unknown, (image: JsonObject) => boolean>([
  ["text", ({ text }) => isText(text)],
  ["base64", ({ base64 }) => isText(base64)],
  ["stored", ({ hash }) => isText(hash)],
  ["truncated", ({ bytes }) => Number.isSafeInteger(bytes)],
]);

const fields: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  user: { content: isContent },
  assistant: { content: isContent },
  tool_started: { callId: isText, name: isText },
  tool_result: { callId: isText },
  file_snapshot: { path: isText, before: isImage, afterHash: isHash },
  summary: { summary: isText, throughSeq: (value) => value === 0 || isSeq(value) },
  background_started: { taskId: isText, name: isText },
  background_completed: { taskId: isText },
  restore_started: {
    targetSeq: isSeq,
    firstSnapshotSeq: isSeq,
    branchId: isHash,
    // Part of the names of files.
    workId: (value) => isText(value) && /^\w+$/.test(value as string),
  },
  restored: {
    targetSeq: isSeq,
    restoredFiles: (value) => Array.isArray(value) && value.every(isText),
  },
};

/**
 * Whether an event has the fields that its type promises. A log may hold anything: events of other programs whose
 * types have the same names count, and say nothing. An unknown type promises nothing.
 */
export function isWellFormed(event: SessionEvent): boolean {
  if (!Object.hasOwn(fields, event.type)) return true;
  const values: unknown = event;
  return (
    isObject(values) &&
    Object.entries(fields[event.type] ?? {}).every(([name, check]) => check(values[name]))
  );
}
