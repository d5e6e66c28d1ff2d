/**
 * Goal: what this version writes is what docs/format.md says, and what any version wrote stays
 * readable. Method: the files of conformance/vectors, which never change; a change of format gets
 * new ones.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { fflateDeflate, zlibDeflate } from "../../codecs/deflate.ts";
import { aesGcm, compress, keyRing, pipeline, type AesGcmOptions } from "../../codecs/index.ts";
import { fromHex } from "./fixtures.ts";
import { goldenFiles, goldenFolder } from "./golden-files.ts";
import { checkGolden } from "./golden.ts";
import { fingerprintOf } from "./tampered-store.ts";

const backends = ["node", "webcrypto", "noble"] as const;
const deflates = [zlibDeflate(zlib), fflateDeflate];

test.each(goldenFiles())("%s is written and read byte by byte", async (_name, golden) => {
  const { checks, faults } = await checkGolden(golden, { backends, deflates });
  expect(faults).toEqual([]);
  expect(checks).toBeGreaterThanOrEqual(2 * golden.records.length);
});

test("there are golden files of every kind of record", () => {
  const kinds = goldenFiles()
    .map(([name]) => name.replace(".json", ""))
    .toSorted();
  expect(kinds).toEqual([
    "aes-gcm",
    "aes-gcm-unchained",
    "compress",
    "compress-aes-gcm",
    "compress-no-dictionary",
    "compress-xchacha",
    "xchacha",
  ]);
});

/** A whole log as the file store wrote it. */
interface GoldenLog {
  /** Its name in the store's directory. */
  readonly file: string;
  readonly sessionId: string;
  /** Hexadecimal, oldest first. */
  readonly keys: readonly [string, string];
  readonly events: ReadonlyArray<{ readonly seq: number; readonly ts: string; event: object }>;
}

describe("sealed-log.jsonl", () => {
  const golden = JSON.parse(readFileSync(`${goldenFolder}sealed-log.json`, "utf8")) as GoldenLog;
  const { file, sessionId, keys, events } = golden;
  const [older, newer] = keys;
  let dir = "";

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "checkpointer-golden-"));
    copyFileSync(`${goldenFolder}sealed-log.jsonl`, join(dir, file));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const open = (
    backend: AesGcmOptions["backend"],
    deflate: (typeof deflates)[0],
  ): ReturnType<typeof fileCheckpointer<object>> => {
    const ring = keyRing({ primary: fromHex(newer), decryptOnly: [fromHex(older)] });
    const codec = pipeline(compress({ deflate }), aesGcm({ keys: ring, backend }));
    return fileCheckpointer<object>({ dir, codec });
  };

  const pairs = backends.flatMap((backend) => deflates.map((deflate) => ({ backend, deflate })));
  test.each(pairs)("is read by $backend and $deflate.id", async ({ backend, deflate }) => {
    const before = fingerprintOf(dir);
    const checkpointer = open(backend, deflate);
    const read: object[] = [];
    for await (const { seq, ts, event } of checkpointer.read(sessionId)) {
      read.push({ seq, ts, event });
    }
    expect(read).toEqual(events);
    for await (const report of checkpointer.verify()) expect(report).toMatchObject({ ok: true });
    await checkpointer.close();
    expect(fingerprintOf(dir)).toBe(before);
  });

  test("goes on where it ended, with its idempotency keys", async () => {
    const checkpointer = open("node", zlibDeflate(zlib));
    const turn = events.slice(2, 4).map(({ event }) => event);
    expect(await checkpointer.append(sessionId, turn, { idempotencyKey: "turn 1" })).toBe(4);
    expect(await checkpointer.append(sessionId, [{ more: true }], { expectedHead: 7 })).toBe(8);
    let count = 0;
    for await (const _event of checkpointer.read(sessionId)) count += 1;
    expect(count).toBe(8);
    await checkpointer.close();
  });
});
