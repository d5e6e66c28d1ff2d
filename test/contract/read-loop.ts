import { readdirSync } from "node:fs";
import { expect } from "vitest";
import type { StoredEvent } from "../../src/index.ts";
import {
  collect,
  expectCode,
  failureOf,
  id,
  numberOf,
  numbered,
  numbersOf,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Open descriptors of this process, where the system tells. */
function countDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

const rules: Rule[] = [
  {
    name: "read() does nothing before the first pull",
    async run(store) {
      const handle = store.open();
      const invalid = handle.read("", { sinceSeq: -1 });
      const early = handle.read(id);
      await handle.append(id, numbered(1, 2));
      expect(await collect(early)).toHaveLength(2);
      await expectCode(invalid, "INVALID_SESSION_ID");
    },
  },
  {
    name: "read() releases everything when 1,000 loops are left early",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 10));
      const leave = async (how: number) => {
        try {
          for await (const stored of handle.read(id, { reverse: how % 4 === 3 })) {
            if (how % 4 === 0 || stored.seq === 5) break;
            if (how % 4 === 1) throw new Error("enough");
          }
        } catch (error) {
          expect(error).toMatchObject({ message: "enough" });
        }
      };
      await leave(0);
      const before = countDescriptors();
      for (const how of sequence(1, 1_000)) await leave(how);
      expect(countDescriptors()).toBeLessThan(before + 20);
      expect(await handle.append(id, numbered(11, 11))).toBe(11);
      await handle.truncate(id, 3);
      expect(await numbersOf(handle)).toEqual([1, 2, 3]);
      await handle.delete(id);
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "read() lets every other call run inside its loop",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 5));
      const seen: number[] = [];
      for await (const stored of handle.read(id)) {
        seen.push(numberOf(stored));
        await handle.append("other", numbered(1, 1));
        await handle.append(id, [{ n: 5 + stored.seq }]);
        expect(await handle.head(id)).toBeGreaterThan(5);
        expect(await handle.list()).toHaveLength(2);
        expect((await numbersOf(handle)).slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
        await handle.truncate("other", 0);
        await handle.delete("other");
        if (stored.seq === 5) break;
      }
      expect(seen).toEqual([1, 2, 3, 4, 5]);
      expect(await numbersOf(handle)).toEqual(sequence(1, 10));
    },
  },
  {
    name: "read() ends although every event that it yields leads to another append",
    async run(store) {
      const [reader, writer] = [store.open(), store.open()];
      for (const handle of [reader, writer]) {
        const sessionId = handle === reader ? "own" : "other";
        await handle.append(sessionId, numbered(1, 4));
        const seen: number[] = [];
        for await (const { seq } of reader.read(sessionId)) {
          seen.push(seq);
          if (seq < 100) await handle.append(sessionId, numbered(seq, seq));
        }
        expect(seen.length).toBeLessThan(100);
        expect(seen).toEqual(sequence(1, seen.length));
      }
    },
  },
  {
    name: "read() delivers everything up to the head at its first pull",
    async run(store) {
      const [reader, writer] = [store.open(), store.open()];
      await writer.append(id, numbered(1, 600));
      const iterator = reader.read(id)[Symbol.asyncIterator]();
      const first = await iterator.next();
      await writer.append(id, numbered(601, 700));
      const rest = await collect({ [Symbol.asyncIterator]: () => iterator });
      const seqs = [first.value as StoredEvent<object>, ...rest].map(numberOf);
      expect(seqs.length).toBeGreaterThanOrEqual(600);
      expect(seqs).toEqual(sequence(1, seqs.length));
      if (reader.capabilities.readIsolation === "snapshot") expect(seqs).toHaveLength(600);
    },
  },
  {
    name: "read() iterators of one handle know nothing of each other",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 40));
      await handle.append("other", numbered(101, 140));
      const reads = [handle.read(id), handle.read(id, { reverse: true }), handle.read("other")];
      const iterators = reads.map((read) => read[Symbol.asyncIterator]());
      const seen: number[][] = reads.map(() => []);
      for (const _ of sequence(1, 40)) {
        for (const [index, iterator] of iterators.entries()) {
          seen[index]!.push(numberOf((await iterator.next()).value as StoredEvent<object>));
        }
      }
      for (const iterator of iterators) expect((await iterator.next()).done).toBe(true);
      expect(seen).toEqual([sequence(1, 40), sequence(1, 40).toReversed(), sequence(101, 140)]);
    },
  },
  {
    name: "read() runs many times at once",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 30));
      const reads = await Promise.all(sequence(1, 50).map(() => numbersOf(handle)));
      for (const numbers of reads) expect(numbers).toEqual(sequence(1, 30));
    },
  },
  {
    name: "read() rejects with the signal's reason and leaves the handle usable",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 10));
      const reason = new Error("seen enough");
      const aborted = { signal: AbortSignal.abort(reason) };
      expect(await failureOf(handle.read(id, aborted))).toBe(reason);
      expect(await failureOf(handle.read("unknown", aborted))).toBe(reason);
      for (const reverse of [false, true]) {
        const aborter = new AbortController();
        const seen: number[] = [];
        const reading = (async () => {
          for await (const { seq } of handle.read(id, { signal: aborter.signal, reverse })) {
            seen.push(seq);
            if (seen.length === 3) aborter.abort(reason);
          }
        })();
        expect(await failureOf(reading)).toBe(reason);
        expect(seen).toEqual(reverse ? [10, 9, 8] : [1, 2, 3]);
      }
      expect(await readAll(handle)).toHaveLength(10);
      expect(await handle.append(id, numbered(11, 11))).toBe(11);
    },
  },
];

/** How a read behaves as a loop. */
export const readLoopRules: RuleGroup = { name: "read loops", rules };
