import { expect } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
import type { Handle, StoreFixture } from "../stores.ts";
import {
  collect,
  id,
  numberOf,
  numbered,
  numbersOf,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

/** Long enough that no adapter reads it in one page. */
const length = 2_100;

/** A line of some length, so that adapters with pages of bytes need several too. */
const padding = "x".repeat(100);

interface Interruption {
  readonly name: string;
  change(handle: Handle): Promise<unknown>;
}

const interruptions: readonly Interruption[] = [
  { name: "is truncated", change: (handle) => handle.truncate(id, 1_200) },
  { name: "is emptied", change: (handle) => handle.truncate(id, 0) },
  { name: "is deleted", change: (handle) => handle.delete(id) },
  {
    name: "is truncated and grows again",
    async change(handle) {
      await handle.truncate(id, 10);
      await handle.append(id, numbered(100_011, 100_600));
    },
  },
  {
    name: "is deleted and born again",
    async change(handle) {
      await handle.delete(id);
      await handle.append(id, numbered(100_001, 100_600));
    },
  },
];

/** Whether a read failed with LOG_CHANGED; any other failure is one of the rule. */
async function isChanged(read: Promise<void>): Promise<boolean> {
  try {
    await read;
    return false;
  } catch (error) {
    if (!isCheckpointError(error, "LOG_CHANGED")) throw error;
    expect(error.retryable).toBe(true);
    return true;
  }
}

/** Reads a log that changes after `after` events: all of the old view, or LOG_CHANGED. */
async function readInterrupted(
  store: StoreFixture,
  interruption: Interruption,
  after: number,
  reverse: boolean,
): Promise<void> {
  const [reader, writer] = [store.open(), store.open()];
  await writer.append(
    id,
    sequence(1, length).map((n) => ({ n, padding })),
  );
  const seen: number[] = [];
  const read = async () => {
    for await (const stored of reader.read(id, { reverse })) {
      seen.push(numberOf(stored));
      if (seen.length === after) await interruption.change(writer);
    }
  };
  const changed = await isChanged(read());
  const whole = reverse ? sequence(1, length).toReversed() : sequence(1, length);
  expect(seen).toEqual(changed ? whole.slice(0, seen.length) : whole);
  await writer.delete(id);
}

const interrupted: Rule[] = interruptions.map((interruption) => ({
  name: `read() of a log that ${interruption.name} is the old view or LOG_CHANGED`,
  async run(store) {
    for (const reverse of [false, true]) await readInterrupted(store, interruption, 3, reverse);
  },
}));

const rules: Rule[] = [
  ...interrupted,
  {
    name: "read() that is nearly through when its log is truncated is the old view or LOG_CHANGED",
    run: (store) => readInterrupted(store, interruptions[0]!, length - 30, false),
  },
  {
    name: "read() that has not been pulled yet sees the log as it is at its first pull",
    async run(store) {
      const [reader, writer] = [store.open(), store.open()];
      await writer.append(id, numbered(1, 3));
      const reads = [reader.read(id), reader.read(id, { reverse: true })];
      await writer.truncate(id, 1);
      await writer.append(id, numbered(9, 9));
      expect((await collect(reads[0]!)).map(numberOf)).toEqual([1, 9]);
      expect((await collect(reads[1]!)).map(numberOf)).toEqual([9, 1]);
    },
  },
  {
    name: "read() inside whose loop the same handle truncates neither hangs nor mixes",
    async run(store) {
      const handle = store.open();
      await handle.append(id, numbered(1, 5));
      const read = async () => {
        for await (const { seq } of handle.read(id)) if (seq === 2) await handle.truncate(id, 1);
      };
      await isChanged(read());
      expect(await numbersOf(handle)).toEqual([1]);
    },
  },
];

/** What a reader sees of a log that is cut or replaced under it. */
export const logChangedRules: RuleGroup = { name: "log changed", rules };
