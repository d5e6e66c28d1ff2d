import * as fc from "fast-check";
import { expect } from "vitest";
import type { ReadOptions } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import { fuzz } from "./fuzz.ts";
import {
  expectRefusal,
  id,
  numberOf,
  numbered,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** What a range means, on seqs 1 to `head`. */
function slice(head: number, options: ReadOptions): number[] {
  const { sinceSeq = 0, untilSeq = head, limit = head, reverse = false } = options;
  const within = sequence(1, head).filter((seq) => seq > sinceSeq && seq <= untilSeq);
  return (reverse ? within.toReversed() : within).slice(0, limit);
}

async function expectSlice(handle: Handle, head: number, options: ReadOptions): Promise<void> {
  const stored = await readAll(handle, id, options);
  const wanted = slice(head, options);
  expect(stored.map(({ seq }) => seq)).toEqual(wanted);
  expect(stored.map(numberOf)).toEqual(wanted);
}

/** A log of 23 events in batches of different sizes. */
async function fill(handle: Handle): Promise<number> {
  for (const [from, to] of [
    [1, 1],
    [2, 9],
    [10, 12],
    [13, 22],
    [23, 23],
  ] as const) {
    await handle.append(id, numbered(from, to));
  }
  return 23;
}

/** Ranges, with each bound around those of a log of `head` events. */
function ranges(head: number): fc.Arbitrary<ReadOptions> {
  const bound = fc.option(fc.nat(head + 3), { nil: undefined });
  return fc.record({
    sinceSeq: bound,
    untilSeq: bound,
    limit: bound,
    reverse: fc.option(fc.boolean(), { nil: undefined }),
  });
}

const garbage: ReadonlyArray<readonly [option: string, values: readonly unknown[]]> = [
  ["sinceSeq", [-1, 1.5, NaN, Infinity, 2 ** 53, null, "1", [1], 1n, true]],
  ["untilSeq", [-1, 1.5, NaN, Infinity, 2 ** 53, null, "1", [1], 1n, true]],
  ["limit", [-1, 1.5, NaN, -Infinity, 2 ** 53, null, "1", [1], 1n, true]],
  ["reverse", [1, 0, "yes", null, {}]],
  ["signal", [1, "x", null, {}]],
];

const rules: Rule[] = [
  {
    name: "read() starts behind sinceSeq, for every seq",
    async run(store) {
      const handle = store.open();
      const head = await fill(handle);
      for (const sinceSeq of [...sequence(0, head + 2), 2 ** 53 - 1]) {
        await expectSlice(handle, head, { sinceSeq });
      }
    },
  },
  {
    name: "read() ends with untilSeq, for every seq and in both directions",
    async run(store) {
      const handle = store.open();
      const head = await fill(handle);
      for (const untilSeq of [...sequence(0, head + 2), 2 ** 53 - 1]) {
        await expectSlice(handle, head, { untilSeq });
        await expectSlice(handle, head, { untilSeq, reverse: true });
      }
    },
  },
  {
    name: "read() of any range equals slicing the whole",
    async run(store) {
      const [handle, other] = [store.open(), store.open()];
      const head = await fill(handle);
      const check = fc.asyncProperty(ranges(head), (options) => expectSlice(other, head, options));
      await fc.assert(check, fuzz(150));
    },
  },
  {
    name: "read() of any range of a log of many pages equals slicing the whole",
    async run(store) {
      const handle = store.open();
      const head = 2_100;
      await handle.append(id, numbered(1, 1_000));
      await handle.append(id, numbered(1_001, head));
      await expectSlice(handle, head, {});
      await expectSlice(handle, head, { reverse: true });
      for (const edge of [255, 256, 257, 512, 1_000, head - 256]) {
        await expectSlice(handle, head, { sinceSeq: edge, limit: 3 });
        await expectSlice(handle, head, { untilSeq: edge, limit: 3, reverse: true });
        await expectSlice(handle, head, { sinceSeq: edge - 2, limit: 257 });
        await expectSlice(handle, head, { untilSeq: edge, limit: 257, reverse: true });
      }
    },
  },
  {
    name: "read() with limit 0 or an empty range yields nothing",
    async run(store) {
      const handle = store.open();
      const head = await fill(handle);
      for (const reverse of [false, true]) {
        expect(await readAll(handle, id, { limit: 0, reverse })).toEqual([]);
        expect(await readAll(handle, id, { sinceSeq: head, reverse })).toEqual([]);
        expect(await readAll(handle, id, { sinceSeq: 9, untilSeq: 9, reverse })).toEqual([]);
        expect(await readAll(handle, id, { sinceSeq: 9, untilSeq: 3, reverse })).toEqual([]);
        expect(await readAll(handle, id, { limit: Infinity, reverse })).toHaveLength(head);
        expect(await readAll(handle, "unknown", { reverse })).toEqual([]);
      }
    },
  },
  {
    name: "read() refuses garbage in its options",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 3));
      for (const [option, values] of garbage) {
        for (const value of values) {
          const options = { [option]: value } as ReadOptions;
          await expectRefusal(handle.read(id, options), `${option} ${String(value)}`);
        }
      }
      for (const options of [null, 5, "1", [], true]) {
        await expectRefusal(handle.read(id, options as ReadOptions), options);
      }
    },
  },
  {
    name: "read() of an emptied session yields nothing and of a shortened one what is left",
    async run(store) {
      const handle = store.open();
      await fill(handle);
      await handle.truncate(id, 7);
      for (const reverse of [false, true]) {
        await expectSlice(handle, 7, { reverse });
        await expectSlice(handle, 7, { reverse, sinceSeq: 5 });
      }
      await handle.truncate(id, 0);
      expect(await readAll(handle)).toEqual([]);
      expect(await readAll(handle, id, { reverse: true })).toEqual([]);
    },
  },
];

/** Which events a read delivers. */
export const readRangeRules: RuleGroup = { name: "read ranges", rules };
