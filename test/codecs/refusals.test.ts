/**
 * Goal: a handle that cannot read a log does it no harm. Method: everything a handle can do, by
 * handles with a wrong key, a wrong configuration or no codec, on every adapter; afterwards what is
 * stored is the same byte for byte, and the right key still reads it all.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isCheckpointError, type ErrorCode, type StoredRecord } from "../../src/index.ts";
import { failureOf, firstOf, flipBit } from "./fixtures.ts";
import { foreign, right, strangers } from "./strangers.ts";
import {
  tamperedDatabase,
  tamperedFiles,
  tamperedMemory,
  type Handle,
  type TamperedStore,
} from "./tampered-store.ts";

async function read(handle: Handle, sessionId = "s"): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const { event } of handle.read(sessionId)) events.push(event);
  return events;
}

const events = [{ n: 1 }, { n: 2 }, { n: 3 }];

describe.each([
  ["memory", tamperedMemory],
  ["file", tamperedFiles],
  ["sqlite", tamperedDatabase],
] as const)("%s", (_name, create) => {
  let store: TamperedStore;
  let owner: Handle;

  beforeEach(async () => {
    store = create();
    owner = store.open(right);
    await owner.append("s", events);
  });

  afterEach(() => store.dispose());

  /** Runs what must be refused, and checks that it left everything as it was. */
  async function refused(code: ErrorCode, work: () => unknown): Promise<void> {
    const before = store.fingerprint();
    const error = await failureOf(work);
    if (!isCheckpointError(error, code)) throw error;
    expect(store.fingerprint()).toBe(before);
    expect(await read(owner)).toEqual(events);
  }

  describe.each(strangers)("a handle with %s", (_which, codec, code) => {
    test("reads and follows nothing, in either direction and from anywhere", async () => {
      const handle = store.open(codec);
      await refused(code, () => read(handle));
      for (const options of [{ reverse: true }, { sinceSeq: 2 }, { limit: 1 }]) {
        await refused(code, () => firstOf(handle.read("s", options)));
      }
      await refused(code, () => firstOf(handle.tail("s")));
    });

    test("forks nothing, and leaves no target", async () => {
      const handle = store.open(codec);
      await refused(code, () => handle.fork("s", 3, "copy"));
      expect((await owner.list()).map(({ id }) => id)).toEqual(["s"]);
    });

    test("learns from verify() what is wrong", async () => {
      const before = store.fingerprint();
      for await (const report of store.open(codec).verify()) {
        expect(report).toMatchObject({ ok: false, records: 0, findings: [{ code, seq: 1 }] });
      }
      expect(store.fingerprint()).toBe(before);
    });

    test("cuts off what it is told to, and nothing else", async () => {
      await store.open(codec).truncate("s", 2);
      expect(await read(owner)).toEqual(events.slice(0, 2));
    });
  });

  test("reading a tampered log again and again changes nothing, and its repair is its record", async () => {
    const log = store.records("s");
    const damaged = flipBit(log[1]!.payload as Uint8Array, 700);
    store.replace("s", [log[0]!, { ...log[1]!, payload: damaged }, log[2]!]);
    const before = store.fingerprint();
    for (const handle of [owner, store.open(right)]) {
      for (let time = 0; time < 3; time += 1) {
        expect(await failureOf(() => read(handle))).toMatchObject({ code: "AUTH_FAILED", seq: 2 });
        expect(await failureOf(() => handle.fork("s", 3, "copy"))).toMatchObject({ seq: 2 });
      }
      for await (const report of handle.verify("s")) expect(report.ok).toBe(false);
    }
    expect(store.fingerprint()).toBe(before);
    store.replace("s", log);
    expect(await read(owner)).toEqual(events);
  });
});

test("verify() tells a wrong key, tampering and damage apart", async () => {
  const store = tamperedFiles();
  const owner = store.open(right);
  for (const id of ["tampered", "damaged", "sound"]) await owner.append(id, events);
  await store.open(foreign).append("foreign", events);
  const change = (id: string, changed: (record: StoredRecord) => Partial<StoredRecord>): void => {
    const log = store.records(id);
    store.replace(id, [log[0]!, { ...log[1]!, ...changed(log[1]!) }, log[2]!]);
  };
  change("tampered", ({ payload }) => ({ payload: flipBit(payload as Uint8Array, 700) }));
  change("damaged", () => ({ seq: 9 }));
  const found = new Map<string, unknown>();
  for await (const { sessionId, findings } of owner.verify()) {
    found.set(sessionId, findings[0]?.code ?? "sound");
  }
  expect(Object.fromEntries(found)).toEqual({
    sound: "sound",
    tampered: "AUTH_FAILED",
    damaged: "CORRUPT_LOG",
    foreign: "KEY_UNKNOWN",
  });
  await store.dispose();
});
