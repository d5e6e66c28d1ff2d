import { expect } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import {
  eventsOf,
  id,
  numbered,
  numbersOf,
  openMany,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

const rules: Rule[] = [
  {
    name: "append() calls on one handle land in the order they were issued",
    async run(store) {
      const handle = store.open();
      const heads = await Promise.all(sequence(1, 100).map((n) => handle.append(id, [{ n }])));
      expect(heads).toEqual(sequence(1, 100));
      expect(await numbersOf(handle)).toEqual(sequence(1, 100));
    },
  },
  {
    name: "append(), truncate() and delete() on one handle take effect in issue order",
    async run(store) {
      const handle = store.open();
      const heads = await Promise.all([
        handle.append(id, numbered(1, 3)),
        handle.append(id, numbered(4, 4)),
        handle.truncate(id, 1),
        handle.append(id, numbered(5, 6)),
        handle.delete(id),
        handle.append(id, numbered(7, 7)),
        handle.append(id, numbered(8, 9), 1),
        handle.truncate(id, 2, 3),
      ]);
      expect(heads).toEqual([3, 4, undefined, 3, undefined, 1, 3, undefined]);
      expect(await numbersOf(handle)).toEqual([7, 8]);
    },
  },
  {
    name: "fork() takes its place among the changes of its target",
    async run(store) {
      const handle = store.open();
      await handle.append("source", numbered(1, 3));
      await handle.append(id, numbered(1, 1));
      const results = await Promise.all([
        handle.delete(id),
        handle.fork("source", 2, id),
        handle.append(id, numbered(9, 9), 2),
      ]);
      expect(results).toEqual([undefined, 2, 3]);
      expect(await numbersOf(handle)).toEqual([1, 2, 9]);
    },
  },
  {
    name: "append() calls that are refused leave those around them alone",
    async run(store) {
      const handle = store.open();
      const results = await Promise.allSettled([
        handle.append(id, numbered(1, 1)),
        handle.append(id, numbered(90, 90), 0),
        handle.append(id, [{ bad: 1n }]),
        handle.append(id, numbered(2, 3), 1),
        handle.append(id, [], 7),
        handle.append(id, []),
        handle.append(id, numbered(4, 4), 3),
      ]);
      const outcomes = results.map((result) =>
        result.status === "fulfilled"
          ? result.value
          : isCheckpointError(result.reason) && result.reason.code,
      );
      const conflict = "CONFLICT";
      expect(outcomes).toEqual([1, conflict, "EVENT_NOT_SERIALIZABLE", 3, conflict, 3, 4]);
      expect(await numbersOf(handle)).toEqual([1, 2, 3, 4]);
    },
  },
  {
    name: "append() lets 64 concurrent appenders on one handle each have a seq",
    async run(store) {
      const handle = store.open();
      const appender = async (writer: number) => {
        const first = await handle.append(id, [{ n: writer }]);
        return [first, await handle.append(id, [{ n: writer }])];
      };
      const heads = (await Promise.all(sequence(1, 64).map(appender))).flat();
      expect(heads.toSorted((a, b) => a - b)).toEqual(sequence(1, 128));
      const stored = await readAll(handle);
      heads.forEach((head, index) => {
        expect(stored[head - 1]?.event).toEqual({ n: Math.floor(index / 2) + 1 });
      });
    },
  },
  {
    name: "append() keeps batches of concurrent handles whole",
    async run(store) {
      const handles = openMany(store, 8);
      const batch = (writer: number) => sequence(1, 5).map((n) => ({ writer, n }));
      const heads = await Promise.all(
        handles.map((handle, writer) => handle.append(id, batch(writer))),
      );
      const events = await eventsOf(handles[0]!);
      expect(events).toHaveLength(40);
      heads.forEach((head, writer) => {
        expect(events.slice(head - 5, head)).toEqual(batch(writer));
      });
    },
  },
  {
    name: "append() to one session does not wait for another",
    async run(store) {
      const handle = store.open();
      const sessions = sequence(1, 20).map((n) => `session-${n}`);
      const append = (sessionId: string) => handle.append(sessionId, numbered(1, 2));
      expect(await Promise.all(sessions.map(append))).toEqual(sessions.map(() => 2));
      for (const sessionId of sessions) expect(await numbersOf(handle, sessionId)).toEqual([1, 2]);
    },
  },
];

/** How concurrent appends and other changes are ordered. */
export const appendOrderRules: RuleGroup = { name: "order of changes", rules };
