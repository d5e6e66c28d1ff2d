import { AgentError } from "../agent-error.ts";
import { isObject } from "../json-object.ts";
import type { ScriptedAnswer } from "./scripted-model.ts";

/**
 * Reads a script for `scriptedModel()`: one answer a line as JSON (blank lines do not count), or all of
 * them as one JSON array. An answer has the fields of {@link ScriptedAnswer}, `error` being text.
 *
 * @throws AgentError `SCRIPT_INVALID`, which names the line, or the step of an array, and what was wanted
 */
export function parseScript(text: string): ScriptedAnswer[] {
  if (text.trimStart().startsWith("[")) {
    const steps = parseJson(text, "the script") as readonly unknown[];
    return steps.map((step, index) => answerOf(step, `step ${index + 1}`));
  }
  return text.split(/\r?\n/).flatMap((line, index) => {
    const place = `line ${index + 1}`;
    return line.trim() === "" ? [] : [answerOf(parseJson(line, place), place)];
  });
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether a value is an object of these fields alone; `required` ones must be there. */
function isShaped(value: unknown, fields: Record<string, Check>, required: string[] = []): boolean {
  return (
    isObject(value) &&
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, field]) => fields[name]?.(field) === true)
  );
}

const isToolCall: Check = (value) =>
  isShaped(value, { name: isText, input: () => true, id: isText, inputError: isText }, ["name"]);

/** What each field of an answer has to be. */
const fields = new Map<string, { readonly wanted: string; readonly check: Check }>([
  ["thinking", { wanted: "text", check: isText }],
  ["text", { wanted: "text", check: isText }],
  [
    "toolCalls",
    {
      wanted: "a list of { name, input?, id?, inputError? }",
      check: (value) => Array.isArray(value) && value.every(isToolCall),
    },
  ],
  [
    "usage",
    {
      wanted: "{ inputTokens, outputTokens }, whole numbers",
      check: (value) => {
        const counts = { inputTokens: isCount, outputTokens: isCount };
        return isShaped(value, counts, Object.keys(counts));
      },
    },
  ],
  ["error", { wanted: "text", check: isText }],
  [
    "stop",
    {
      wanted: "end, tool_use, max_tokens, refusal or pause",
      check: (value) => stops.includes(value),
    },
  ],
]);

const stops: readonly unknown[] = ["end", "tool_use", "max_tokens", "refusal", "pause"];

function answerOf(value: unknown, place: string): ScriptedAnswer {
  const names = [...fields.keys()].join(", ");
  if (!isObject(value)) throw invalid(`${place}: wanted an object of ${names}`);
  for (const [name, field] of Object.entries(value)) {
    const rule = fields.get(name);
    if (rule === undefined) throw invalid(`${place}: ${name} is none of ${names}`);
    if (!rule.check(field)) throw invalid(`${place}: ${name}: wanted ${rule.wanted}`);
  }
  return value;
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${place}: wanted JSON`);
  }
}

function invalid(message: string): AgentError {
  return new AgentError("SCRIPT_INVALID", `Cannot read the script: ${message}`);
}
