import { quote } from "../../src/index.ts";
import { isObject } from "../json-object.ts";

/** The fields of a tool's input, checked one by one, so that a model reads what it did wrong. */
export interface ToolInput {
  text(field: string): string;
  optional<T>(field: string, kind: "boolean" | "number" | "string"): T | undefined;
}

/** @throws TypeError that names the field, what was met and what was wanted */
export function toolInput(input: unknown): ToolInput {
  if (!isObject(input)) throw new TypeError("Input: wanted an object");
  const wrong = (field: string, wanted: string): TypeError =>
    new TypeError(`${quote(field)}: wanted a ${wanted}, met ${kindOf(input[field])}`);
  return {
    text(field) {
      const value = input[field];
      if (typeof value !== "string") throw wrong(field, "string");
      return value;
    },
    optional<T>(field: string, kind: string) {
      const value = input[field];
      if (value === undefined || value === null) return undefined;
      if (typeof value !== kind) throw wrong(field, kind);
      return value as T;
    },
  };
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  return value === null ? "null" : typeof value;
}
