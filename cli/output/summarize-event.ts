import type { EventObject } from "../../src/index.ts";

/** More than any terminal shows; what is longer is not looked at. */
const maxCharacters = 1000;

type Fields = Readonly<Record<string, unknown>>;

/** The type an event names, or its role, or nothing. */
export function typeLabel(event: EventObject): string {
  const { type, role } = event as Fields;
  if (typeof type === "string") return type;
  return typeof role === "string" ? role : "-";
}

/**
 * What an event says, on one line and not escaped yet. Knows the events of the kit and the shapes
 * that other tools' transcripts have in common; any other event is its JSON.
 */
export function summarizeEvent(event: EventObject): string {
  const fields = event as Fields;
  const type = fields["type"];
  const known = typeof type === "string" && Object.hasOwn(byType, type) ? byType[type] : undefined;
  return oneLine(known?.(fields) ?? genericSummary(fields) ?? json(fields));
}

const byType: Readonly<Record<string, (fields: Fields) => string | null>> = {
  tool_started: ({ name, input }) => (isText(name) ? `${name} ${json(input)}` : null),
  tool_result: ({ output, isError }) => `${isError === true ? "error: " : ""}${textOf(output)}`,
  file_snapshot: ({ path, before }) => (isText(path) ? `${path} (was ${stateOf(before)})` : null),
  background_completed: ({ taskId, output }) => `${textOf(taskId)}: ${textOf(output)}`,
  permission_decision: ({ callId, allowed, reason }) => {
    const verdict = allowed === true ? "allowed" : "denied";
    return `${verdict} ${textOf(callId)}${isText(reason) ? `: ${reason}` : ""}`;
  },
  imported_value: ({ value }) => json(value),
};

/** Fields in which transcripts keep what people want to read, the most telling first. */
const tellingFields = ["content", "message", "text", "summary", "payload", "data", "delta"];

function genericSummary(fields: Fields): string | null {
  for (const name of tellingFields) {
    const value = fields[name];
    if (isText(value) && value !== "") return value;
    if (Array.isArray(value) && value.length > 0) return value.map(blockOf).join(" ");
    if (isFields(value)) {
      const inner = genericSummary(value);
      if (inner !== null) return inner;
    }
  }
  return null;
}

/** One block of a message: its text, or what kind of block it is. */
function blockOf(block: unknown): string {
  if (isText(block)) return block;
  if (!isFields(block)) return json(block);
  const { type, text, name } = block;
  if (isText(text)) return text;
  const label = [type, name].filter(isText).join(" ");
  return label === "" ? json(block) : `[${label}]`;
}

function stateOf(before: unknown): string {
  return isFields(before) && isText(before["state"]) ? before["state"] : "unknown";
}

function textOf(value: unknown): string {
  return isText(value) ? value : json(value);
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function oneLine(text: string): string {
  return text.slice(0, maxCharacters).replace(/\s+/g, " ").trim();
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
