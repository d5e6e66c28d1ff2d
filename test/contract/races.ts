import { expect } from "vitest";
import { isCheckpointError, type CheckpointConflictError } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import {
  eventsOf,
  id,
  numbered,
  numbersOf,
  openMany,
  readAll,
  sequence,
  turn,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

interface Race {
  readonly winners: number[];
  readonly conflicts: CheckpointConflictError[];
}

/** Sorts the results of racers; a failure other than a conflict is a failure of the rule. */
async function race(runners: readonly Promise<number>[]): Promise<Race> {
  const result: Race = { winners: [], conflicts: [] };
  for (const settled of await Promise.allSettled(runners)) {
    if (settled.status === "fulfilled") result.winners.push(settled.value);
    else if (isCheckpointError(settled.reason, "CONFLICT")) {
      result.conflicts.push(settled.reason as CheckpointConflictError);
    } else throw settled.reason;
  }
  return result;
}

/** Appends the successor of what it read, again and again until nobody was faster. */
async function increment(handle: Handle): Promise<void> {
  for (;;) {
    const events = (await eventsOf(handle)) as Array<{ n: number }>;
    const next = { n: (events.at(-1)?.n ?? 0) + 1 };
    const { winners } = await race([handle.append(id, [next], events.length)]);
    if (winners.length > 0) return;
  }
}

const rules: Rule[] = [
  {
    name: "append() lets exactly one of many racers with one expectedHead win",
    async run(store) {
      const handles = openMany(store, 8);
      const racers = [...handles, ...handles];
      for (const head of [0, 3]) {
        const attempts = racers.map((handle, n) => handle.append(id, [{ n }, { n }, { n }], head));
        const { winners, conflicts } = await race(attempts);
        expect(winners).toEqual([head + 3]);
        expect(conflicts).toHaveLength(15);
        for (const { expected, actual } of conflicts) {
          expect({ expected, actual }).toEqual({ expected: head, actual: head + 3 });
        }
      }
      expect(await handles[0]!.head(id)).toBe(6);
    },
  },
  {
    name: "append() without expectedHead never conflicts, whoever else writes",
    async run(store) {
      const handles = openMany(store, 4);
      const writer = async (index: number) => {
        for (const n of sequence(1, 3)) {
          await handles[index % 4]!.append(id, [{ writer: index, n }]);
        }
      };
      await Promise.all(sequence(0, 15).map(writer));
      const stored = await readAll(handles[0]!);
      expect(stored.map(({ seq }) => seq)).toEqual(sequence(1, 48));
      const events = stored.map(({ event }) => event as { writer: number; n: number });
      for (const index of sequence(0, 15)) {
        const own = events.filter(({ writer }) => writer === index).map(({ n }) => n);
        expect(own).toEqual([1, 2, 3]);
      }
    },
  },
  {
    name: "append() with expectedHead loses no update of writers that retry",
    async run(store) {
      const incrementer = async (handle: Handle) => {
        for (const _ of sequence(1, 6)) await increment(handle);
      };
      const handles = openMany(store, 4);
      await Promise.all(handles.map(incrementer));
      expect(await numbersOf(handles[0]!)).toEqual(sequence(1, 24));
    },
  },
  {
    name: "append() and delete() that race end in one of the two legal orders",
    async run(store) {
      const [first, second] = [store.open(), store.open()];
      for (const round of sequence(1, 10)) {
        const sessionId = `session-${round}`;
        await first.append(sessionId, numbered(1, 2));
        const [head] = await Promise.all([
          first.append(sessionId, numbered(3, 3)),
          second.delete(sessionId),
        ]);
        const legal = [`3 []`, `1 [3]`];
        expect(legal).toContain(`${head} ${JSON.stringify(await numbersOf(first, sessionId))}`);
      }
    },
  },
  {
    name: "append() and truncate() that race end in one of the two legal orders",
    async run(store) {
      const [first, second] = [store.open(), store.open()];
      for (const round of sequence(1, 10)) {
        const sessionId = `session-${round}`;
        await first.append(sessionId, numbered(1, 4));
        const [head] = await Promise.all([
          first.append(sessionId, numbered(5, 6)),
          second.truncate(sessionId, 2),
        ]);
        const legal = [`6 [1,2]`, `4 [1,2,5,6]`];
        expect(legal).toContain(`${head} ${JSON.stringify(await numbersOf(first, sessionId))}`);
      }
    },
  },
  {
    name: "fork() lets exactly one of many racers make the target",
    async run(store) {
      const handles = openMany(store, 4);
      await handles[0]!.append("source", numbered(1, 5));
      const forks = handles.map((handle, index) => handle.fork("source", index + 2, id));
      const { winners, conflicts } = await race(forks);
      expect(winners).toHaveLength(1);
      expect(conflicts).toHaveLength(3);
      expect(await numbersOf(handles[0]!)).toEqual(sequence(1, winners[0]!));
    },
  },
  {
    name: "read() sees a batch whole or not at all while others write",
    async run(store) {
      const [writer, reader] = [store.open(), store.open()];
      let writing = true;
      const write = async () => {
        for (const _ of sequence(1, 15)) await writer.append(id, numbered(1, 4));
        writing = false;
      };
      const look = async () => {
        while (writing) {
          await turn();
          expect((await numbersOf(reader)).length % 4).toBe(0);
          expect((await reader.head(id)) % 4).toBe(0);
        }
      };
      await Promise.all([write(), look()]);
      expect(await reader.head(id)).toBe(60);
    },
  },
];

/** What holds while several handles write at once. */
export const raceRules: RuleGroup = { name: "races", rules };
