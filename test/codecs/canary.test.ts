/**
 * Goal: nothing of an event reaches a disk in the clear. Method: events full of a word that occurs
 * nowhere else go through everything that writes; then every byte that was ever written is searched
 * for the word in every spelling. The same search must find it in a plain store.
 */
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import type { FilePort } from "../../adapters/file/file-port.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import { aesGcm, compress, pipeline, xchacha } from "../../codecs/index.ts";
import type { Codec } from "../../src/index.ts";
import { pathsBelow } from "../paths-below.ts";
import { firstRing } from "./fixtures.ts";
import type { Handle } from "./tampered-store.ts";

const canary = "Zyxwhistlestop9Quagmire";

/** Every spelling that the word could have in a file. */
const spellings: readonly Buffer[] = [
  Buffer.from(canary, "utf8"),
  Buffer.from(canary, "utf16le"),
  Buffer.from(canary.toLowerCase()),
  Buffer.from(Buffer.from(canary).toString("hex")),
  // Base64 at each of the three places where its letters can begin.
  ...["", "a", "aa"].map((before) =>
    Buffer.from(
      Buffer.from(before + canary)
        .toString("base64")
        .slice(4, -4),
    ),
  ),
];

function isIn(bytes: Buffer): boolean {
  return spellings.some((spelling) => bytes.includes(spelling));
}

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "checkpointer-canary-"))));
afterEach(() => rmSync(dir, { recursive: true }));

/** The real file system, keeping a copy of everything that is written through it. */
function recordingPort(): { port: FilePort; written: () => Buffer; calls: () => number } {
  const kept: Buffer[] = [];
  const writeSync = (...input: Parameters<typeof fs.writeSync>): number => {
    kept.push(Buffer.from(input[1] as unknown as Uint8Array));
    return fs.writeSync(...input);
  };
  const openSync: typeof fs.openSync = (path, ...rest) => {
    kept.push(Buffer.from(String(path)));
    return fs.openSync(path, ...rest);
  };
  return {
    port: { ...fs, openSync, writeSync: writeSync as typeof fs.writeSync },
    written: () => Buffer.concat(kept),
    calls: () => kept.length,
  };
}

/** Contents of every file in the directory. */
function everyFile(): Buffer {
  return Buffer.concat(
    pathsBelow(dir)
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      .map((path) => readFileSync(path)),
  );
}

/** Everything that a handle can write, with a look after each step. */
async function useEverything(handle: Handle, isSealed: boolean, look: () => void): Promise<void> {
  const event = (n: number): object => ({
    type: "tool_result",
    output: `${canary} ${n} ${canary.repeat(n)} ${JSON.stringify({ inner: canary })}`,
    [canary]: canary.split(""),
  });
  await handle.append("s", [event(1), event(2), event(3)]);
  look();
  await handle.append("s", [event(4)], { idempotencyKey: "once" });
  await handle.append("s", [event(4)], { idempotencyKey: "once" });
  await handle.append("s", [event(5)], { expectedHead: 4 });
  await Promise.all(Array.from({ length: 20 }, (_, n) => handle.append("s", [event(n)])));
  look();
  await handle.fork("s", 4, "copy");
  look();
  await handle.truncate("s", 2);
  look();
  if (isSealed) await handle.rekey("s");
  look();
  await handle.append("s", [event(500)]);
  await handle.append("gone", [event(1)]);
  await handle.delete("gone");
  look();
  for await (const _event of handle.read("s")) void _event;
}

const codecs: ReadonlyArray<readonly [string, () => Codec | undefined]> = [
  ["compress and aes-gcm", () => pipeline(compress(), aesGcm({ keys: firstRing }))],
  ["aes-gcm", () => aesGcm({ keys: firstRing })],
  ["xchacha", () => xchacha({ keys: firstRing })],
  ["no codec", () => undefined],
];

describe.each(codecs)("with %s", (name, create) => {
  const isPlain = name === "no codec";

  test(`files hold ${isPlain ? "the word" : "no word"} of it`, async () => {
    const { port, written, calls } = recordingPort();
    const handle = fileCheckpointer<object>({ dir, port, codec: create() });
    let found = false;
    await useEverything(handle, !isPlain, () => (found ||= isIn(everyFile())));
    await handle.close();
    console.log(`file, ${name}: ${written().length} bytes in ${calls()} calls searched`);
    expect(found || isIn(written()) || isIn(everyFile())).toBe(isPlain);
  });

  test(`a database, its log and its backup hold ${isPlain ? "the word" : "no word"} of it`, async () => {
    const handle = sqliteCheckpointer<object>({ file: join(dir, "s.db"), codec: create() });
    let searched = 0;
    let found = false;
    const look = (): void => {
      const bytes = everyFile();
      searched += bytes.length;
      found ||= isIn(bytes);
    };
    await useEverything(handle, !isPlain, look);
    expect(readdirSync(dir)).toContain("s.db-wal");
    await handle.backup(join(dir, "backup.db"));
    look();
    await handle.close();
    look();
    expect(readdirSync(dir)).toContain("backup.db");
    console.log(`sqlite, ${name}: ${searched} bytes searched`);
    expect(found).toBe(isPlain);
  });
});
