import * as fc from "fast-check";
import { id, numbered, sequence, readAll, numberOf, type Handle } from "../session-state.ts";
import type { Check } from "../check.ts";
import { assertProperty } from "../assert-property.ts";
import type { ReadOptions } from "../../src/index.ts";
import type { Properties } from "../property.ts";

/** What a range means, on seqs 1 to `head`. */
function slice(head: number, options: ReadOptions): number[] {
  const { sinceSeq = 0, untilSeq = head, limit = head, reverse = false } = options;
  const within = sequence(1, head).filter((seq) => seq > sinceSeq && seq <= untilSeq);
  return (reverse ? within.toReversed() : within).slice(0, limit);
}

async function expectSlice(
  check: Check,
  handle: Handle,
  head: number,
  options: ReadOptions,
): Promise<void> {
  const stored = await readAll(handle, id, options);
  const wanted = slice(head, options);
  check.equal(
    stored.map(({ seq }) => seq),
    wanted,
  );
  check.equal(stored.map(numberOf), wanted);
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

/** What `untilSeq`, `limit` and `reverse` select. */
export const readRangeProperties: Properties = [
  {
    id: "R1",
    group: "read range",
    level: "L1",
    requires: ["range"],
    statement: "sinceSeq is exclusive and untilSeq inclusive, in both directions",
    reason: "A page that ends where the next begins shows one event twice or not at all",
    cases: [
      {
        name: "read() of an emptied session yields nothing and of a shortened one what is left",
        requires: ["truncate"],
        async run({ open, check }) {
          const handle = await open();
          await fill(handle);
          await handle.truncate(id, 7);
          for (const reverse of [false, true]) {
            await expectSlice(check, handle, 7, { reverse });
            await expectSlice(check, handle, 7, { reverse, sinceSeq: 5 });
          }
          await handle.truncate(id, 0);
          check.equal(await readAll(handle), []);
          check.equal(await readAll(handle, id, { reverse: true }), []);
        },
      },

      {
        name: "read() starts behind sinceSeq, for every seq",
        async run({ open, check }) {
          const handle = await open();
          const head = await fill(handle);
          for (const sinceSeq of [...sequence(0, head + 2), 2 ** 53 - 1]) {
            await expectSlice(check, handle, head, { sinceSeq });
          }
        },
      },
      {
        name: "read() ends with untilSeq, for every seq and in both directions",
        async run({ open, check }) {
          const handle = await open();
          const head = await fill(handle);
          for (const untilSeq of [...sequence(0, head + 2), 2 ** 53 - 1]) {
            await expectSlice(check, handle, head, { untilSeq });
            await expectSlice(check, handle, head, { untilSeq, reverse: true });
          }
        },
      },
    ],
  },
  {
    id: "R2",
    group: "read range",
    level: "L1",
    requires: ["range"],
    statement: "Reading backwards is the exact reverse of reading forwards",
    reason: "The last messages of a chat are read backwards and shown forwards",
    reports: ["mastra-ai/mastra#7340"],
    cases: [
      {
        name: "read() backwards is the exact reverse, also from the middle and in pages",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 700));
          const whole = await readAll(handle);
          check.equal(await readAll(handle, id, { reverse: true }), whole.toReversed());
          const middle = { sinceSeq: 100, untilSeq: 650 };
          const forwards = await readAll(handle, id, middle);
          check.equal(
            await readAll(handle, id, { ...middle, reverse: true }),
            forwards.toReversed(),
          );
        },
      },
    ],
  },
  {
    id: "R3",
    group: "read range",
    level: "L1",
    requires: ["range"],
    statement:
      "limit counts what the range has left, from the end that is read first; 0 yields nothing",
    reason: "A limit that is applied before the filter gives short pages",
    cases: [
      {
        name: "read() takes the first events of a range, from the end that is read first",
        async run({ open, check }) {
          const handle = await open();
          const head = await fill(handle);
          for (const limit of [1, 2, 5, head, head + 9]) {
            for (const reverse of [false, true]) {
              await expectSlice(check, handle, head, { limit, reverse });
              await expectSlice(check, handle, head, { limit, reverse, sinceSeq: 4, untilSeq: 20 });
            }
          }
        },
      },
      {
        name: "read() with limit 0 or an empty range yields nothing",
        async run({ open, check }) {
          const handle = await open();
          const head = await fill(handle);
          for (const reverse of [false, true]) {
            check.equal(await readAll(handle, id, { limit: 0, reverse }), []);
            check.equal(await readAll(handle, id, { sinceSeq: head, reverse }), []);
            check.equal(await readAll(handle, id, { sinceSeq: 9, untilSeq: 9, reverse }), []);
            check.equal(await readAll(handle, id, { sinceSeq: 9, untilSeq: 3, reverse }), []);
            check.same((await readAll(handle, id, { limit: Infinity, reverse })).length, head);
            check.equal(await readAll(handle, "unknown", { reverse }), []);
          }
        },
      },
    ],
  },
  {
    id: "R4",
    group: "read range",
    level: "L1",
    requires: ["range"],
    statement: "Any range equals slicing the whole",
    reason: "Bounds, limit and direction are used together, and that is where each alone was right",
    cases: [
      {
        name: "read() of any range equals slicing the whole",
        async run({ open, check, budget }) {
          const [handle, other] = [await open(), await open()];
          const head = await fill(handle);
          const property = fc.asyncProperty(ranges(head), (options) =>
            expectSlice(check, other, head, options),
          );
          await assertProperty(property, budget, 150);
        },
      },
      {
        name: "read() of any range of a log of many pages equals slicing the whole",
        async run({ open, check }) {
          const handle = await open();
          const head = 2_100;
          await handle.append(id, numbered(1, 1_000));
          await handle.append(id, numbered(1_001, head));
          await expectSlice(check, handle, head, {});
          await expectSlice(check, handle, head, { reverse: true });
          for (const edge of [255, 256, 257, 512, 1_000, head - 256]) {
            await expectSlice(check, handle, head, { sinceSeq: edge, limit: 3 });
            await expectSlice(check, handle, head, { untilSeq: edge, limit: 3, reverse: true });
            await expectSlice(check, handle, head, { sinceSeq: edge - 2, limit: 257 });
            await expectSlice(check, handle, head, { untilSeq: edge, limit: 257, reverse: true });
          }
        },
      },
    ],
  },
  {
    id: "R5",
    group: "read range",
    level: "L1",
    requires: ["range", "full"],
    statement: "Garbage in the options is refused",
    reason: "A misspelt bound that is ignored reads the whole log",
    cases: [
      {
        name: "read() refuses garbage in its options",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const [option, values] of garbage) {
            for (const value of values) {
              const options = { [option]: value } as ReadOptions;
              await check.refuses(handle.read(id, options), `${option} ${String(value)}`);
            }
          }
          for (const options of [null, 5, "1", [], true]) {
            await check.refuses(handle.read(id, options as ReadOptions), options);
          }
        },
      },
    ],
  },
];
