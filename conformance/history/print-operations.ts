import type { Call, Operation, OperationOutcome } from "./history.ts";

/** One line for each operation: its client, a bar that shows when it ran, its call, its answer. */
export function printOperations(operations: readonly Operation[]): readonly string[] {
  const moments = operations.flatMap(({ start, end }) => (end === null ? [start] : [start, end]));
  const sorted = [...new Set(moments)].sort((one, other) => one - other);
  const column = new Map(sorted.map((moment, index) => [moment, index]));
  const rows = operations.map(({ client, start, end, call, outcome }) => [
    client,
    timeBar(column.get(start) ?? 0, end === null ? null : (column.get(end) ?? 0), sorted.length),
    describeCall(call),
    describeOutcome(outcome),
  ]);
  const widths = [0, 1, 2].map((cell) => Math.max(0, ...rows.map((row) => row[cell]?.length ?? 0)));
  return rows.map((row) => row.map((text, cell) => text.padEnd(widths[cell] ?? 0)).join("  "));
}

/** `|--|` from one column to another; without an end it goes on, `|--?`. */
function timeBar(from: number, to: number | null, columns: number): string {
  const last = to ?? columns;
  return `${" ".repeat(from)}|${"-".repeat(Math.max(0, last - from - 1))}${to === null ? "?" : "|"}`;
}

function describeCall(call: Call): string {
  switch (call.method) {
    case "append": {
      const key = call.idempotencyKey === undefined ? "" : `, key ${call.idempotencyKey}`;
      return `append ${listed(call.ids)}${insisting(call.expectedHead)}${key}`;
    }
    case "read":
      return `read after ${call.sinceSeq}`;
    case "truncate":
      return `truncate to ${call.toSeq}${insisting(call.expectedHead)}`;
    case "head":
    case "delete":
      return call.method;
  }
}

function describeOutcome(outcome: OperationOutcome): string {
  switch (outcome.status) {
    case "ok":
      if ("head" in outcome) return `head ${outcome.head}`;
      if (!("events" in outcome)) return "done";
      return describeEvents(outcome.events);
    case "conflict":
      return `conflict: expected ${outcome.expected}, actual ${outcome.actual}`;
    case "refused":
      return `refused: ${outcome.code}`;
    case "unknown":
      return "no answer";
  }
}

function describeEvents(
  events: ReadonlyArray<{ readonly seq: number; readonly id: string }>,
): string {
  const [first] = events;
  if (first === undefined) return "nothing";
  const ids = listed(events.map(({ id }) => id));
  return `seq ${first.seq} to ${events.at(-1)?.seq}: ${ids}`;
}

const insisting = (head: number | undefined): string =>
  head === undefined ? "" : `, insisting on head ${head}`;

/** All of a short list, the ends of a long one. */
function listed(ids: readonly string[]): string {
  if (ids.length === 0) return "nothing";
  if (ids.length <= 8) return ids.join(" ");
  return `${ids.slice(0, 3).join(" ")} … ${ids.slice(-3).join(" ")} (${ids.length})`;
}
