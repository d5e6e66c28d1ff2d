import * as fc from "fast-check";
import { expect } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";
import { hardEvents, jsonObject, unusualEvents } from "./json-values.ts";
import { refusedEvents } from "./refused-events.ts";
import {
  eventsOf,
  expectNoChange,
  failureOf,
  id,
  numbered,
  readAll,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** JSON text tells key order and own `__proto__` keys apart, which deep equality does not. */
function jsonOf(events: readonly object[]): string[] {
  return events.map((event) => JSON.stringify(event));
}

const rules: Rule[] = [
  {
    name: "read() gives back generated events exactly as they were appended",
    async run(store) {
      const [writer, reader] = [store.open(), store.open()];
      const batches = fc.array(jsonObject, { minLength: 1, maxLength: 20 });
      const check = fc.asyncProperty(batches, async (batch) => {
        const sinceSeq = (await writer.append(id, batch)) - batch.length;
        const stored = await readAll(reader, id, { sinceSeq });
        expect(jsonOf(stored.map(({ event }) => event))).toEqual(jsonOf(batch));
      });
      await fc.assert(check, fuzz(25));
    },
  },
  {
    name: "read() gives back what stores have been known to change",
    async run(store) {
      const [writer, reader] = [store.open(), store.open()];
      await writer.append(
        id,
        hardEvents.map(([, event]) => event),
      );
      const stored = jsonOf(await eventsOf(reader));
      for (const [index, [name, event]] of hardEvents.entries()) {
        // A comparison of its own, since a report of 1 MiB helps nobody.
        if (stored[index] !== JSON.stringify(event)) throw new Error(`${name} came back changed`);
      }
    },
  },
  {
    name: "read() gives back plain data whatever its prototype; undefined is absent and -0 is 0",
    async run(store) {
      const handle = store.open();
      const events = unusualEvents();
      await handle.append(
        id,
        events.map(([event]) => event),
      );
      const stored = await eventsOf(handle);
      expect(jsonOf(stored)).toEqual(events.map(([, json]) => json));
      expect(stored[0]).not.toHaveProperty("gone");
      expect(stored[1]).toStrictEqual({ zero: 0, list: [0] });
    },
  },
  {
    name: "append() refuses what JSON cannot carry and names its path",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 1));
      await expectNoChange(handle, async () => {
        for (const { what, event, path } of refusedEvents) {
          const error = await failureOf(handle.append(id, [{ n: 2 }, event as object]));
          if (!isCheckpointError(error, "EVENT_NOT_SERIALIZABLE")) throw error;
          expect(`${what}: ${error.message}`).toContain(`${what}: Cannot append event 1: ${path} `);
        }
      });
    },
  },
  {
    name: "read() keeps event types and fields that it does not know",
    async run(store) {
      const handle = store.open();
      const events = [
        { type: "user", content: "hello", later: { version: 9 } },
        { type: "from the future", seq: 7, ts: "x", sessionId: 1, parentSeq: {}, event: [] },
      ];
      await handle.append(id, events);
      expect(await eventsOf(handle)).toStrictEqual(events);
    },
  },
  {
    name: "read() hands out events that are the reader's own",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      const event = { n: 1, deep: { list: [1] } };
      await handle.append(id, [event, event]);
      for (const stored of await readAll(handle)) {
        const own = stored.event as typeof event;
        own.n = 2;
        own.deep.list.push(2);
        Object.assign(stored, { seq: 9, ts: "never" });
      }
      for (const reader of [handle, other]) {
        const stored = await readAll(reader);
        expect(stored.map(({ seq }) => seq)).toEqual([1, 2]);
        expect(stored.map((one) => one.event)).toStrictEqual([event, event]);
      }
    },
  },
];

/** That what is read equals what was appended. */
export const fidelityRules: RuleGroup = { name: "fidelity", rules };
