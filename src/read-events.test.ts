import { expect, test } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import { CorruptLogError } from "./errors.ts";
import type { ReadOptions } from "./checkpointer.ts";
import type { RecordStore, StoredRecord } from "./record-store.ts";

const ts = "2026-01-01T00:00:00.000Z";

/** A store whose one session has these records, whatever range is asked for. */
function storeOf(records: readonly StoredRecord[]): RecordStore {
  return {
    ...memoryStore(),
    async *read(_sessionId, { reverse, sinceSeq, untilSeq }) {
      const within = records.filter(({ seq }) => seq > sinceSeq && seq <= untilSeq);
      for (const record of reverse ? within.toReversed() : within) yield [record];
    },
  };
}

function record(seq: number, payload: string | Uint8Array = `{"n":${seq}}`): StoredRecord {
  return { seq, ts, payload };
}

/** The seqs that a read delivers, and what it fails with. */
async function readAll(records: readonly StoredRecord[], options?: ReadOptions) {
  const seqs: number[] = [];
  try {
    for await (const { seq } of createCheckpointer(storeOf(records)).read("a", options)) {
      seqs.push(seq);
    }
  } catch (error) {
    return { seqs, error };
  }
  return { seqs, error: null };
}

test.each([
  ["a hole", [1, 2, 4], {}, [1, 2], 3],
  ["a missing start", [2, 3], {}, [], 1],
  ["a missing start of a range", [1, 2, 5], { sinceSeq: 3 }, [], 4],
  ["a repetition", [1, 2, 2], {}, [1, 2], 3],
  ["a step back", [1, 2, 1], {}, [1, 2], 3],
  ["a hole, backwards", [1, 3, 4], { reverse: true }, [4, 3], 2],
  ["a missing start, backwards", [2, 3], { reverse: true }, [3, 2], 1],
] as const)(
  "read() reports %s after everything before it",
  async (_name, seqs, options, seen, seq) => {
    const { error, ...read } = await readAll(
      seqs.map((one) => record(one)),
      options,
    );
    expect(read.seqs).toEqual(seen);
    expect(error).toBeInstanceOf(CorruptLogError);
    expect(error).toMatchObject({ sessionId: "a", seq });
  },
);

test.each(["", "{", "null", "[]", "1", '"text"', '{"a":1}x'])(
  "read() reports the payload %j as damage",
  async (payload) => {
    const { seqs, error } = await readAll([record(1), record(2, payload), record(3)]);
    expect(seqs).toEqual([1]);
    expect(error).toMatchObject({ code: "CORRUPT_LOG", sessionId: "a", seq: 2 });
  },
);

test("read() reports a sealed record after everything before it", async () => {
  const { seqs, error } = await readAll([record(1), record(2), record(3, Uint8Array.of(1))]);
  expect(seqs).toEqual([1, 2]);
  expect(error).toMatchObject({ code: "SEALED_IN_PLAIN_LOG", stage: "none", seq: 3 });
});

test("read() takes empty pages for what they are", async () => {
  const store: RecordStore = {
    ...memoryStore(),
    async *read() {
      yield [];
      yield [record(1)];
      yield [];
    },
  };
  const seqs = [];
  for await (const { seq } of createCheckpointer(store).read("a")) seqs.push(seq);
  expect(seqs).toEqual([1]);
});

test("read() closes the store's iterator when its loop is left", async () => {
  let closed = 0;
  const store: RecordStore = {
    ...memoryStore(),
    async *read() {
      try {
        for (let seq = 1; ; seq += 1) yield [record(seq)];
      } finally {
        closed += 1;
      }
    },
  };
  const checkpointer = createCheckpointer(store);
  for await (const { seq } of checkpointer.read("a")) if (seq === 3) break;
  const failing = (async () => {
    for await (const _event of checkpointer.read("a")) throw new Error("enough");
  })();
  await expect(failing).rejects.toThrow("enough");
  const aborter = new AbortController();
  const aborted = (async () => {
    for await (const _event of checkpointer.read("a", { signal: aborter.signal })) aborter.abort();
  })();
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  expect(closed).toBe(3);
});
