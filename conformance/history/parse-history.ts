import type { Call, History, Operation, OperationOutcome, StoredId } from "./history.ts";

/**
 * Takes a history from outside: JSON text, or the value that was parsed from it.
 *
 * @throws TypeError that names the first place which is not as `History` says, for example
 * `history.operations[3].outcome.head: expected a whole number of at least 0`
 */
export function parseHistory(json: unknown): History {
  const value = typeof json === "string" ? parseText(json) : json;
  const operations = arrayAt(recordAt(value, "history")["operations"], "history.operations");
  const history = {
    operations: operations.map((one, index) => parseOperation(one, `history.operations[${index}]`)),
  };
  requireOwnIds(history.operations);
  return history;
}

type Fields = Readonly<Record<string, unknown>>;

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError("history: expected JSON", { cause: error });
  }
}

function parseOperation(value: unknown, at: string): Operation {
  const fields = recordAt(value, at);
  const call = parseCall(fields["call"], `${at}.call`);
  const start = finiteAt(fields["start"], `${at}.start`);
  const end = fields["end"] === null ? null : finiteAt(fields["end"], `${at}.end`);
  if (end !== null && end < start) fail(`${at}.end`, "a moment that is not before its start");
  const outcome = parseOutcome(fields["outcome"], call, `${at}.outcome`);
  if (end === null && outcome.status !== "unknown") {
    fail(`${at}.outcome.status`, '"unknown", since nothing was answered');
  }
  return {
    client: stringAt(fields["client"], `${at}.client`),
    sessionId: stringAt(fields["sessionId"], `${at}.sessionId`),
    call,
    start,
    end,
    outcome,
  };
}

function parseCall(value: unknown, at: string): Call {
  const fields = recordAt(value, at);
  const method = fields["method"];
  switch (method) {
    case "append":
      return {
        method,
        ids: arrayAt(fields["ids"], `${at}.ids`).map((id, index) =>
          stringAt(id, `${at}.ids[${index}]`),
        ),
        ...parseExpectedHead(fields, at),
        ...(fields["idempotencyKey"] === undefined
          ? {}
          : { idempotencyKey: stringAt(fields["idempotencyKey"], `${at}.idempotencyKey`) }),
      };
    case "read":
      return { method, sinceSeq: wholeAt(fields["sinceSeq"], `${at}.sinceSeq`) };
    case "head":
    case "delete":
      return { method };
    case "truncate":
      return {
        method,
        toSeq: wholeAt(fields["toSeq"], `${at}.toSeq`),
        ...parseExpectedHead(fields, at),
      };
    default:
      return fail(`${at}.method`, '"append", "read", "head", "truncate" or "delete"');
  }
}

function parseExpectedHead(fields: Fields, at: string): { expectedHead?: number } {
  if (fields["expectedHead"] === undefined) return {};
  return { expectedHead: wholeAt(fields["expectedHead"], `${at}.expectedHead`) };
}

function parseOutcome(value: unknown, call: Call, at: string): OperationOutcome {
  const fields = recordAt(value, at);
  const status = fields["status"];
  switch (status) {
    case "ok":
      return parseAnswer(fields, call, at);
    case "conflict":
      if (call.method !== "append" && call.method !== "truncate") {
        return fail(`${at}.status`, `no conflict, since ${call.method} expects nothing`);
      }
      return {
        status,
        expected: wholeAt(fields["expected"], `${at}.expected`),
        actual: wholeAt(fields["actual"], `${at}.actual`),
      };
    case "refused":
      return { status, code: stringAt(fields["code"], `${at}.code`) };
    case "unknown":
      return { status };
    default:
      return fail(`${at}.status`, '"ok", "conflict", "refused" or "unknown"');
  }
}

function parseAnswer(fields: Fields, call: Call, at: string): OperationOutcome {
  switch (call.method) {
    case "append":
    case "head":
      return { status: "ok", head: wholeAt(fields["head"], `${at}.head`) };
    case "read":
      return {
        status: "ok",
        events: arrayAt(fields["events"], `${at}.events`).map((event, index) =>
          parseStoredId(event, `${at}.events[${index}]`),
        ),
      };
    case "truncate":
    case "delete":
      return { status: "ok" };
  }
}

function parseStoredId(value: unknown, at: string): StoredId {
  const fields = recordAt(value, at);
  return { seq: wholeAt(fields["seq"], `${at}.seq`), id: stringAt(fields["id"], `${at}.id`) };
}

/** Refuses an id that two appends share, unless one is a retry of the other. */
function requireOwnIds(operations: readonly Operation[]): void {
  const owners = new Map<string, string>();
  for (const [index, { sessionId, call }] of operations.entries()) {
    if (call.method !== "append") continue;
    const at = `history.operations[${index}].call.ids`;
    if (new Set(call.ids).size < call.ids.length) fail(at, "ids that differ from each other");
    const own = call.idempotencyKey === undefined ? index : call.idempotencyKey;
    const owner = JSON.stringify([sessionId, own, call.ids]);
    for (const id of call.ids) {
      if ((owners.get(id) ?? owner) !== owner) fail(at, "ids that no other append uses");
      owners.set(id, owner);
    }
  }
}

function recordAt(value: unknown, at: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(at, "an object");
  return value as Fields;
}

function arrayAt(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : fail(at, "an array");
}

function stringAt(value: unknown, at: string): string {
  return typeof value === "string" ? value : fail(at, "a string");
}

function finiteAt(value: unknown, at: string): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fail(at, "a finite number");
}

function wholeAt(value: unknown, at: string): number {
  const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  return isWhole ? value : fail(at, "a whole number of at least 0");
}

function fail(at: string, expected: string): never {
  throw new TypeError(`${at}: expected ${expected}`);
}
