/**
 * Goal: with an anchor outside the store nothing goes unnoticed. Method: every attack of the matrix on
 * every adapter, this time against a handle with an anchor, and the attacks on whole logs and stores
 * that no record can tell of. Then the ways in which an anchor could be wrong by itself.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileAnchor, fileCheckpointer } from "../../adapters/file/index.ts";
import { memoryAnchor, memoryStore } from "../../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import { aesGcm, keyRing } from "../../codecs/index.ts";
import {
  createCheckpointer,
  type Anchor,
  type AnchorPoint,
  type Checkpointer,
  type Codec,
} from "../../src/index.ts";
import { attackMatrix } from "./attack-matrix.ts";
import { failureOf, firstKey, firstRing, secondKey } from "./fixtures.ts";
import { tamperedDatabase, tamperedFiles, tamperedMemory } from "./tampered-store.ts";

describe.each([
  ["memory", tamperedMemory],
  ["file", tamperedFiles],
  ["sqlite", tamperedDatabase],
] as const)("%s: the attack matrix with an anchor", (_name, create) => {
  attackMatrix(create, memoryAnchor);
});

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "checkpointer-anchor-"))));
afterEach(() => rmSync(dir, { recursive: true }));

const codec = aesGcm({ keys: firstRing });

/** A handle onto a directory, with its anchor beside it. */
type Open = (at: string, anchor: Anchor | undefined) => Checkpointer<object>;

const adapters: ReadonlyArray<readonly [string, Open]> = [
  ["file", (at, anchor) => fileCheckpointer({ dir: at, codec, anchor })],
  ["sqlite", (at, anchor) => sqliteCheckpointer({ file: join(at, "s.db"), codec, anchor })],
];

describe.each(adapters)("%s: attacks on more than records", (name, open) => {
  const work = async <T>(
    at: string,
    task: (handle: Checkpointer<object>) => Promise<T>,
    anchor: Anchor | undefined = fileAnchor({ dir: join(dir, "anchor") }),
  ): Promise<T> => {
    mkdirSync(at, { recursive: true });
    const handle = open(at, anchor);
    try {
      return await task(handle);
    } finally {
      await handle.close();
    }
  };

  const expectRefused = async (at: string, session: string): Promise<void> => {
    const refused = { code: "ANCHOR_MISMATCH" };
    await work(at, async (handle) => {
      expect(await failureOf(() => readAll(handle, session))).toMatchObject(refused);
      expect(await failureOf(() => handle.head(session))).toMatchObject(refused);
      expect(await failureOf(() => handle.append(session, [{ n: 9 }]))).toMatchObject(refused);
    });
  };

  test("a whole log that was deleted is refused", async () => {
    const at = join(dir, "store");
    await work(at, (handle) => handle.append("a", [{ n: 1 }, { n: 2 }]));
    const thief = open(at, undefined);
    await thief.delete("a");
    await thief.close();
    await expectRefused(at, "a");
  });

  test("a whole store that was replaced by an old backup is refused", async () => {
    const at = join(dir, "store");
    await work(at, async (handle) => {
      await handle.append("a", [{ n: 1 }, { n: 2 }]);
      await handle.append("b", [{ n: 1 }]);
    });
    cpSync(at, join(dir, "backup"), { recursive: true });
    await work(at, async (handle) => {
      await handle.append("a", [{ n: 3 }]);
      // As long as in the backup, and another one.
      await handle.truncate("b", 0);
      await handle.append("b", [{ n: 2 }]);
    });
    rmSync(at, { recursive: true });
    cpSync(join(dir, "backup"), at, { recursive: true });
    await expectRefused(at, "a");
    await expectRefused(at, "b");
  });

  test("a log of another session that was put in its place is refused", async () => {
    const store = name === "file" ? tamperedFiles() : tamperedDatabase();
    const handle = store.open(codec, memoryAnchor());
    await handle.append("a", [{ n: 1 }, { n: 2 }]);
    await handle.append("b", [{ n: 1 }, { n: 2 }]);
    store.replace("a", store.records("b"));
    const failure = await failureOf(() => handle.head("a"));
    await store.dispose();
    expect(failure).toMatchObject({ code: "ANCHOR_MISMATCH" });
  });

  test("a whole store that was emptied is refused", async () => {
    const at = join(dir, "store");
    await work(at, (handle) => handle.append("a", [{ n: 1 }]));
    rmSync(at, { recursive: true });
    if (name === "sqlite") await work(at, (handle) => handle.append("b", [{ n: 1 }]));
    await expectRefused(at, "a");
  });
});

async function readAll(handle: Checkpointer<object>, session: string): Promise<object[]> {
  const events: object[] = [];
  for await (const { event } of handle.read(session)) events.push(event);
  return events;
}

/** Handles onto one store in memory with one anchor, each with its own codec. */
function inMemory(): {
  anchor: Anchor;
  open: (codec: Codec, anchor?: Anchor) => Checkpointer<object>;
} {
  const store = { ...memoryStore(), close: async () => undefined };
  const anchor = memoryAnchor();
  return {
    anchor,
    open: (own, other = anchor) => createCheckpointer<object>(store, { codec: own, anchor: other }),
  };
}

const rotated = aesGcm({ keys: keyRing({ primary: secondKey, decryptOnly: [firstKey] }) });

/** An anchor that can be made to fail before a `set` for which `when` holds. */
function failing(anchor: Anchor, when: (point: AnchorPoint | null) => boolean): Anchor {
  return {
    ...anchor,
    async set(session, point, expected) {
      if (when(point)) throw new Error("cannot reach");
      return anchor.set(session, point, expected);
    },
  };
}

test("a second rekey accepts the log of one that crashed after its swap", async () => {
  const { anchor, open } = inMemory();
  await open(codec).append("a", [{ n: 1 }, { n: 2 }]);
  const settles = (point: AnchorPoint | null): boolean => point?.nextTag === undefined;
  const crashed = open(rotated, failing(anchor, settles));
  expect(await failureOf(() => crashed.rekey("a"))).toMatchObject({ code: "OUTCOME_UNKNOWN" });

  const back = aesGcm({ keys: keyRing({ primary: firstKey, decryptOnly: [secondKey] }) });
  const seen: unknown[] = [];
  // Everybody reads while the new tag is announced and the swap is still to come.
  const reader = open(back);
  const watched: Anchor = {
    ...anchor,
    async set(session, point, expected) {
      const isSet = await anchor.set(session, point, expected);
      seen.push(await readAll(reader, session));
      return isSet;
    },
  };
  expect(await open(back, watched).rekey("a")).toMatchObject({ sessions: 1 });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.map(() => [{ n: 1 }, { n: 2 }]));
  expect(await anchor.get("a")).not.toHaveProperty("nextTag");
});

test("a rekey whose anchor is moved by an append starts over", async () => {
  const { anchor, open } = inMemory();
  const appender = open(rotated);
  await open(codec).append("a", [{ n: 1 }]);
  let isFirst = true;
  const raced: Anchor = {
    ...anchor,
    async set(session, point, expected) {
      if (point?.nextTag !== undefined && isFirst) {
        isFirst = false;
        await appender.append("a", [{ n: 2 }]);
      }
      return anchor.set(session, point, expected);
    },
  };
  expect(await open(rotated, raced).rekey("a")).toMatchObject({ sessions: 1, records: 2 });
  expect(isFirst).toBe(false);
  const onlyNew = open(aesGcm({ keys: keyRing({ primary: secondKey }) }));
  expect(await readAll(onlyNew, "a")).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await anchor.get("a")).toMatchObject({ seq: 2 });
});
