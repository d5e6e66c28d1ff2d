import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventOfRecord, recordOfEvent } from "./imported-value.ts";

const wrapper = fc.letrec((tie) => ({
  record: fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constant("imported_value"), value: tie("record") }),
    fc.record({ value: tie("record"), type: fc.constant("imported_value") }),
    fc.record({ type: fc.constant("imported_value"), value: tie("record"), more: fc.jsonValue() }),
    fc.record({ type: fc.constant("imported_value") }),
    fc.record({ type: fc.string(), value: tie("record") }),
  ),
})).record;

describe("eventOfRecord()", () => {
  it("gives an object for every record, and recordOfEvent() gives the record back", () => {
    fc.assert(
      fc.property(wrapper, (record) => {
        const event = eventOfRecord(record);
        expect(Array.isArray(event)).toBe(false);
        expect(recordOfEvent(event)).toEqual(record);
      }),
    );
  });

  it("gives different events for different records", () => {
    fc.assert(
      fc.property(wrapper, wrapper, (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        const sameEvent =
          JSON.stringify(eventOfRecord(left)) === JSON.stringify(eventOfRecord(right));
        expect(sameEvent).toBe(same);
      }),
    );
  });

  it("leaves objects as they are", () => {
    const record = { type: "user", content: "hello" };
    expect(eventOfRecord(record)).toBe(record);
  });

  it.each([[null], [7], ["text"], [[1, 2]], [{ type: "imported_value", value: 1 }]])(
    "wraps %j",
    (record) => {
      expect(eventOfRecord(record)).toEqual({ type: "imported_value", value: record });
    },
  );
});
