// The example wrapper in examples/kms-wrapper against its stub: latency, outages, and a service
// that insists on the context.

import { afterEach, beforeEach, expect, test } from "vitest";
import { httpKmsWrapper } from "../examples/kms-wrapper/http-kms-wrapper.ts";
import { startKmsStub, type KmsStub } from "../examples/kms-wrapper/kms-stub.ts";
import { failureOf } from "../test/codecs/fixtures.ts";
import { createKeyRoom, logRooms, readAll, say } from "../test/codecs/session-key-fixtures.ts";
import type { KeyWrapper, WrapContext } from "./index.ts";

let kms: KmsStub;
let wrapper: KeyWrapper;
beforeEach(async () => {
  kms = await startKmsStub();
  kms.createKey("agents");
  wrapper = httpKmsWrapper({ url: kms.url, keyName: "agents", firstDelayMs: 1 });
});
afterEach(() => kms.close());

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const context: WrapContext = {
  purpose: "session-key",
  namespace: "tenant",
  sessionId: "s",
  keyId: "0123456789abcdef",
};
const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };

test("the service opens what it wrapped, in its context alone", async () => {
  const wrapped = await wrapper.wrap(key, context);
  expect(Buffer.from(wrapped).includes(Buffer.from(key))).toBe(false);
  expect(await wrapper.unwrap(wrapped, context)).toEqual(key);
  const others: Partial<WrapContext>[] = [
    { namespace: "other" },
    { sessionId: "t" },
    { keyId: "fedcba9876543210" },
    { purpose: "another" as "session-key" },
  ];
  for (const other of others) {
    const opened = wrapper.unwrap(wrapped, { ...context, ...other });
    await expect(opened).rejects.toMatchObject({ code: "WRONG_KEY", retryable: false });
  }
  const damaged = wrapped.slice();
  damaged[20]! ^= 1;
  await expect(wrapper.unwrap(damaged, context)).rejects.toMatchObject({ code: "WRONG_KEY" });
});

test("a short outage is tried through, a long one is KEY_UNAVAILABLE", async () => {
  kms.behaviour.outages = 2;
  const wrapped = await wrapper.wrap(key, context);
  kms.behaviour.outages = 3;
  await expect(wrapper.unwrap(wrapped, context)).rejects.toMatchObject(unavailable);
  expect(kms.behaviour.outages).toBe(0);
  expect(await wrapper.unwrap(wrapped, context)).toEqual(key);
});

test("a service that is gone is KEY_UNAVAILABLE, a key that is gone KEY_UNKNOWN", async () => {
  const wrapped = await wrapper.wrap(key, context);
  kms.deleteKey("agents");
  const gone = { code: "KEY_UNKNOWN", retryable: false };
  await expect(wrapper.unwrap(wrapped, context)).rejects.toMatchObject(gone);
  const other = await startKmsStub();
  const lost = httpKmsWrapper({ url: other.url, keyName: "agents", firstDelayMs: 1 });
  await other.close();
  await expect(lost.wrap(key, context)).rejects.toMatchObject(unavailable);
});

test("the wrapper stops at its signal, waiting for an answer or for the next try", async () => {
  const reason = new Error("enough");
  kms.behaviour.silent = true;
  const waiting = new AbortController();
  const call = wrapper.wrap(key, context, waiting.signal);
  waiting.abort(reason);
  await expect(call).rejects.toBe(reason);
  kms.behaviour.silent = false;
  kms.behaviour.outages = 1;
  const patient = httpKmsWrapper({ url: kms.url, keyName: "agents", firstDelayMs: 3_600_000 });
  const pausing = new AbortController();
  const retried = patient.wrap(key, context, pausing.signal);
  await expect.poll(() => kms.behaviour.outages).toBe(0);
  pausing.abort(reason);
  await expect(retried).rejects.toBe(reason);
  await expect(patient.wrap(key, context, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test.each(logRooms)("$name logs behind a slow service cost one call for each key", async (kind) => {
  const log = kind.create();
  const room = createKeyRoom();
  kms.behaviour.latencyMs = 20;
  const writer = log.open(room.open({ wrapper }));
  for (let index = 0; index < 20; index += 1) await writer.append("s", [say(String(index))]);
  // One wrapping, and one unwrapping that proves it.
  expect(kms.answered).toEqual({ encrypt: 1, decrypt: 1 });
  const keys = room.open({ wrapper });
  const readers = Array.from({ length: 16 }, () => log.open(keys));
  const read = await Promise.all(readers.map((reader) => readAll(reader, "s")));
  for (const contents of read) expect(contents).toHaveLength(20);
  expect(kms.answered).toEqual({ encrypt: 1, decrypt: 2 });
});

test.each(logRooms)("an outage fails appends to $name logs and stores nothing", async (kind) => {
  const log = kind.create();
  const room = createKeyRoom();
  const failures: unknown[] = [];
  await log.open(room.open({ wrapper })).append("s", [say("before")]);
  kms.behaviour.outages = Infinity;
  const onFailure = ({ error }: { error: unknown }): void => void failures.push(error);
  const checkpointer = log.open(room.open({ wrapper, onFailure }));
  for (const session of ["s", "new"]) {
    await expect(checkpointer.append(session, [say("lost")])).rejects.toMatchObject(unavailable);
  }
  expect(await failureOf(() => readAll(checkpointer, "s"))).toMatchObject(unavailable);
  expect(await log.payloads("s")).toHaveLength(1);
  expect(await log.payloads("new")).toEqual([]);
  expect(failures).toHaveLength(3);
  kms.behaviour.outages = 0;
  await checkpointer.append("s", [say("after")]);
  expect(await readAll(checkpointer, "s")).toEqual(["before", "after"]);
});

test("a service that does not answer is KEY_UNAVAILABLE at the deadline", async () => {
  const room = createKeyRoom();
  kms.behaviour.silent = true;
  const keys = room.open({ wrapper, timeoutMs: 50 });
  const use = failureOf(() => keys.current("s", 1));
  expect(await use).toMatchObject(unavailable);
  expect((await room.store.get("s")).keys).toEqual([]);
});

test("keys move to another key of the service", async () => {
  const room = createKeyRoom();
  const { id } = await room.open({ wrapper }).current("s", 1);
  kms.createKey("agents-2");
  const next = httpKmsWrapper({ url: kms.url, keyName: "agents-2", firstDelayMs: 1 });
  const keys = room.open({ wrapper: next, wrappers: [wrapper] });
  expect(await keys.rewrap()).toEqual({ sessions: 1, keys: 1 });
  kms.deleteKey("agents");
  expect((await room.open({ wrapper: next }).find("s", id)).id).toBe(id);
});
