/**
 * Goal: an error says what is wrong, so that a lost key, a wrong configuration, an attack and damage
 * look different. Method: one log per situation, on every adapter, through read() and verify().
 */
import { afterEach, describe, expect, test } from "vitest";
import { aesGcm, compress, keyRing, pipeline, secretKey, xchacha } from "../../codecs/index.ts";
import { type Codec, type ErrorCode, type StoredRecord } from "../../src/index.ts";
import { frameOf } from "./compressed-frame.ts";
import { bytesOf, failureOf, firstKey, firstRing, flipBit, secondKey } from "./fixtures.ts";
import {
  tamperedDatabase,
  tamperedFiles,
  tamperedMemory,
  type Handle,
  type TamperedStore,
} from "./tampered-store.ts";

const keys = firstRing;
const stores: TamperedStore[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.dispose();
});

function bytes(record: StoredRecord): Uint8Array {
  return record.payload as Uint8Array;
}

/** What a situation does to seq 2 of a log of three. */
type Change = (record: StoredRecord, log: readonly StoredRecord[]) => Partial<StoredRecord>;

interface Situation {
  readonly name: string;
  readonly code: ErrorCode;
  readonly writer: Codec | undefined;
  readonly reader: Codec | undefined;
  readonly change?: Change;
  /** The stage that refuses; null where none is asked. */
  readonly stage: string | null;
}

const sealed = pipeline(compress(), aesGcm({ keys }));
const lastBit: Change = (record) => ({
  payload: flipBit(bytes(record), bytes(record).length * 8 - 1),
});
const disabled = keyRing({ primary: secondKey, disabled: [firstKey] });
const unknown = keyRing({ primary: secondKey });

/** A sealed record whose content is no compressed frame, or whose frame is a bomb. */
const lying = (content: Uint8Array): Codec => ({
  id: "compress",
  kind: "transform",
  encode: () => content,
  decode: (given) => given,
});

const situations: readonly Situation[] = [
  {
    name: "a key that the ring lacks",
    code: "KEY_UNKNOWN",
    writer: sealed,
    reader: pipeline(compress(), aesGcm({ keys: unknown })),
    stage: "aes-gcm",
  },
  {
    name: "a key that was switched off",
    code: "KEY_DISABLED",
    writer: sealed,
    reader: pipeline(compress(), aesGcm({ keys: disabled })),
    stage: "aes-gcm",
  },
  {
    name: "another namespace",
    code: "WRONG_KEY",
    writer: sealed,
    reader: pipeline(compress(), aesGcm({ keys, namespace: "other" })),
    stage: "aes-gcm",
  },
  {
    name: "another pipeline",
    code: "WRONG_KEY",
    writer: sealed,
    reader: aesGcm({ keys }),
    stage: "aes-gcm",
  },
  {
    name: "another suite",
    code: "UNSUPPORTED_FORMAT",
    writer: aesGcm({ keys }),
    reader: xchacha({ keys }),
    stage: "xchacha",
  },
  {
    name: "a newer version",
    code: "UNSUPPORTED_FORMAT",
    writer: sealed,
    reader: sealed,
    change: (record) => ({ payload: flipBit(bytes(record), 9) }),
    stage: "aes-gcm",
  },
  {
    name: "a changed tag",
    code: "AUTH_FAILED",
    writer: sealed,
    reader: sealed,
    change: lastBit,
    stage: "aes-gcm",
  },
  {
    name: "a moved record",
    code: "AUTH_FAILED",
    writer: sealed,
    reader: sealed,
    change: (_record, log) => ({ payload: log[2]!.payload }),
    stage: "aes-gcm",
  },
  {
    name: "plain text in a sealed log",
    code: "PLAINTEXT_IN_SEALED_LOG",
    writer: sealed,
    reader: sealed,
    change: () => ({ payload: '{"n":2}' }),
    stage: "compress+aes-gcm",
  },
  {
    name: "plain bytes in a sealed log",
    code: "PLAINTEXT_IN_SEALED_LOG",
    writer: sealed,
    reader: sealed,
    change: () => ({ payload: bytesOf('{"n":2}') }),
    stage: "aes-gcm",
  },
  {
    name: "a plain log read with a codec",
    code: "PLAINTEXT_IN_SEALED_LOG",
    writer: undefined,
    reader: sealed,
    stage: "compress+aes-gcm",
  },
  {
    name: "a sealed log read without a codec",
    code: "SEALED_IN_PLAIN_LOG",
    writer: sealed,
    reader: undefined,
    stage: "none",
  },
  {
    name: "a sealed record in a plain log",
    code: "SEALED_IN_PLAIN_LOG",
    writer: undefined,
    reader: undefined,
    change: () => ({ payload: bytesOf('{"n":2}') }),
    stage: "none",
  },
  {
    name: "a sealed log read with compress() alone",
    code: "UNSUPPORTED_FORMAT",
    writer: sealed,
    reader: compress(),
    stage: "compress",
  },
  {
    name: "a damaged compressed record",
    code: "DECODE_FAILED",
    writer: compress(),
    reader: compress(),
    change: lastBit,
    stage: "compress",
  },
  {
    name: "a compressed record that claims too much",
    code: "LIMIT_EXCEEDED",
    writer: compress(),
    reader: compress(),
    change: () => ({ payload: frameOf({ length: 2 ** 28 - 1, body: new Uint8Array(9) }) }),
    stage: "compress",
  },
  {
    name: "a record of the right key with nonsense inside",
    code: "DECODE_FAILED",
    writer: pipeline(lying(Uint8Array.of(1, 1, 0, 9, 255)), aesGcm({ keys })),
    reader: sealed,
    stage: "compress",
  },
  {
    name: "a record of the right key with too much inside",
    code: "LIMIT_EXCEEDED",
    writer: pipeline(
      lying(frameOf({ length: 2 ** 28 - 1, body: new Uint8Array(9), unchecked: true })),
      aesGcm({ keys }),
    ),
    reader: sealed,
    stage: "compress",
  },
  {
    name: "a record of the right key that is no UTF-8",
    code: "DECODE_FAILED",
    writer: pipeline({ ...lying(Uint8Array.of(0x7b, 0xff, 0x7d)), id: "raw" }, aesGcm({ keys })),
    reader: pipeline({ ...lying(Uint8Array.of()), id: "raw" }, aesGcm({ keys })),
    stage: "raw+aes-gcm",
  },
  {
    name: "a record of the right key that is no object",
    code: "DECODE_FAILED",
    writer: pipeline({ ...lying(bytesOf("[1]")), id: "raw" }, aesGcm({ keys })),
    reader: pipeline({ ...lying(Uint8Array.of()), id: "raw" }, aesGcm({ keys })),
    stage: "raw+aes-gcm",
  },
  {
    name: "a lost record",
    code: "CORRUPT_LOG",
    writer: sealed,
    reader: sealed,
    change: () => ({ seq: 7 }),
    stage: null,
  },
];

describe.each([
  ["memory", tamperedMemory],
  ["file", tamperedFiles],
  ["sqlite", tamperedDatabase],
] as const)("%s", (_name, create) => {
  async function arrange(situation: Situation): Promise<Handle> {
    const store = create();
    stores.push(store);
    await store.open(situation.writer).append("s", [{ n: 1 }, { n: 2 }, { n: 3 }]);
    const log = store.records("s");
    const changed = situation.change?.(log[1]!, log);
    if (changed !== undefined) store.replace("s", [log[0]!, { ...log[1]!, ...changed }, log[2]!]);
    return store.open(situation.reader);
  }

  test.each(situations)("$name is $code", async (situation) => {
    const handle = await arrange(situation);
    const { code, stage } = situation;
    const seq = situation.change === undefined ? 1 : 2;
    const error = await failureOf(async () => {
      for await (const _event of handle.read("s")) void _event;
    });
    const retryable = false;
    const place = stage === null ? { seq } : { seq, stage };
    expect(error).toMatchObject({ code, sessionId: "s", retryable, ...place });
    const names = ["KEY_UNKNOWN", "KEY_DISABLED", "WRONG_KEY", "AUTH_FAILED"];
    const keyId = names.includes(code) ? (await secretKey(firstKey)).id : undefined;
    expect((error as { keyId?: string }).keyId).toBe(keyId);

    for await (const report of handle.verify("s")) {
      expect(report).toMatchObject({ sessionId: "s", ok: false, records: seq - 1 });
      expect(report.findings[0]).toMatchObject({ code, seq });
    }
  });
});
