import { isObject } from "../json-object.ts";

/** The input of a tool call as it was read: whole JSON objects only. */
export interface ToolInput {
  /** The object; the raw text when it is none. */
  readonly input: unknown;
  /** Why `input` is the raw text. */
  readonly inputError?: string;
}

/** Reads the arguments a model wrote. No text at all is a call without arguments. */
export function parseToolInput(json: string): ToolInput {
  if (json.trim() === "") return { input: {} };
  try {
    const input: unknown = JSON.parse(json);
    return isObject(input) ? { input } : { input: json, inputError: "it is not a JSON object" };
  } catch {
    return { input: json, inputError: "it is not valid JSON" };
  }
}

/**
 * A tool call's input as vendors take it back. They insist on an object, so one that could not be read
 * is shown to the model inside one.
 */
export function inputToSend(input: unknown): object {
  return isObject(input) ? input : { unreadable: input };
}
