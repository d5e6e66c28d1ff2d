import type { EventObject } from "../../src/index.ts";

const wrapperType = "imported_value";

/**
 * The event for an imported record. An event is a JSON object, and most records are one and stay as
 * they are. Anything else is wrapped, and so is an object that already looks like the wrapper, so
 * that no two records give the same event.
 */
export function eventOfRecord(record: unknown): EventObject {
  const plain = typeof record === "object" && record !== null && !Array.isArray(record);
  return plain && !isWrapper(record) ? record : { type: wrapperType, value: record };
}

/** The record that an event was imported from; for any other event, the event. */
export function recordOfEvent(event: EventObject): unknown {
  return isWrapper(event) ? event.value : event;
}

function isWrapper(value: object): value is { type: string; value: unknown } {
  const keys = Object.keys(value);
  if (keys.length !== 2 || !Object.hasOwn(value, "value")) return false;
  return Object.hasOwn(value, "type") && (value as { type: unknown }).type === wrapperType;
}
