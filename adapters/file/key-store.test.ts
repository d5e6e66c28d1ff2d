import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesWith, temporaryDirectory } from "../../test/codecs/key-store-children.ts";
import { describeKeyStore, listed, someKey } from "../../test/codecs/key-store-rules.ts";
import { createFaultyPort } from "../../test/processes/fault-plan.ts";
import { fileCheckpointer, fileKeyStore, nodeFilePort } from "./index.ts";

describeKeyStore("fileKeyStore()", () => {
  const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-keys-"));
  return {
    open: () => fileKeyStore({ dir: join(root, "keys") }),
    dispose: () => rmSync(root, { recursive: true }),
  };
});

test("fileKeyStore() creates nothing by looking", async () => {
  const dir = join(temporaryDirectory(), "deep", "keys");
  const store = fileKeyStore({ dir });
  await store.get("s");
  await store.replace("s", [someKey()]);
  await store.revive("s");
  expect(await listed(store)).toEqual([]);
  await store.close();
  expect(existsSync(dir)).toBe(false);
});

test("fileKeyStore() leaves one private file for a session and nothing else", async () => {
  const dir = join(temporaryDirectory(), "keys");
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  await store.add("s", someKey());
  await store.replace("s", [someKey()]);
  expect(readdirSync(dir)).toEqual(["s.keys"]);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "s.keys")).mode & 0o777).toBe(0o600);
  await store.shred("s");
  expect(readdirSync(dir)).toEqual(["s.keys"]);
  await store.revive("s");
  expect(readdirSync(dir)).toEqual([]);
});

test("fileKeyStore() refuses the directory of session logs", async () => {
  const dir = temporaryDirectory();
  const log = fileCheckpointer({ dir });
  await log.append("s", [{ type: "user", content: "Hello" }]);
  await log.close();
  const store = fileKeyStore({ dir });
  const refused = { code: "UNSUPPORTED_FORMAT" };
  await expect(store.add("s", someKey())).rejects.toMatchObject(refused);
  await expect(store.get("s")).rejects.toMatchObject(refused);
  expect(readdirSync(dir)).toEqual(["s.jsonl"]);
});

test("fileKeyStore() resolves its directory at once", async () => {
  const dir = temporaryDirectory();
  const before = process.cwd();
  try {
    process.chdir(dir);
    const store = fileKeyStore({ dir: "keys" });
    process.chdir(before);
    await store.add("s", someKey());
  } finally {
    process.chdir(before);
  }
  expect(readdirSync(dir)).toEqual(["keys"]);
});

test.each([{ dir: "" }, { dir: "a\0b" }, { dir: 7 as unknown as string }])(
  "fileKeyStore(%j) is refused",
  (options) => expect(() => fileKeyStore(options)).toThrow(TypeError),
);

test("fileKeyStore() refuses a busyTimeoutMs out of bounds", () => {
  for (const busyTimeoutMs of [-1, 0.5, Number.NaN, Infinity]) {
    expect(() => fileKeyStore({ dir: "keys", busyTimeoutMs })).toThrow(RangeError);
  }
});

test("a damaged key file is refused and left as it is, whatever byte is wrong", async () => {
  const dir = temporaryDirectory();
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  const path = join(dir, "s.keys");
  const whole = readFileSync(path);
  for (let index = 0; index < whole.length; index += 7) {
    const damaged = Buffer.from(whole);
    damaged[index]! ^= 1;
    const cut = whole.subarray(0, index);
    for (const bytes of [damaged, cut]) {
      writeFileSync(path, bytes);
      const refused = { code: "UNSUPPORTED_FORMAT" };
      await expect(store.get("s")).rejects.toMatchObject(refused);
      await expect(store.add("s", someKey())).rejects.toMatchObject(refused);
      await expect(store.replace("s", [someKey()])).rejects.toMatchObject(refused);
      expect(readFileSync(path)).toEqual(bytes);
    }
  }
});

test("a key file under another session's name is refused", async () => {
  const dir = temporaryDirectory();
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  writeFileSync(join(dir, "t.keys"), readFileSync(join(dir, "s.keys")));
  await expect(store.get("t")).rejects.toMatchObject({ code: "UNSUPPORTED_FORMAT" });
});

test("a damaged key file can be shredded, a stranger's file cannot", async () => {
  const dir = temporaryDirectory();
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  writeFileSync(join(dir, "s.keys"), readFileSync(join(dir, "s.keys")).subarray(0, 100));
  await store.shred("s");
  expect(await store.get("s")).toEqual({ shredded: true, keys: [] });
  writeFileSync(join(dir, "t.keys"), "my house keys");
  await expect(store.shred("t")).rejects.toMatchObject({ code: "UNSUPPORTED_FORMAT" });
  expect(readFileSync(join(dir, "t.keys"), "utf8")).toBe("my house keys");
});

test("files that are none of ours are not listed", async () => {
  const dir = temporaryDirectory();
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  for (const name of ["A.keys", "%61.keys", "notes.txt"]) writeFileSync(join(dir, name), "");
  mkdirSync(join(dir, "t.keys.owner"));
  expect(await listed(store)).toEqual(["s"]);
});

test.each(["ENOSPC", "EIO", "EACCES"])("%s at any call is KEY_UNAVAILABLE", async (code) => {
  for (let at = 1; ; at += 1) {
    const dir = temporaryDirectory();
    const faulty = createFaultyPort([{ at, act: "fail", code }]);
    const key = someKey();
    const store = fileKeyStore({ dir, port: faulty.port });
    await store.add("s", key);
    faulty.arm();
    const error: unknown = await store.add("s", someKey()).catch((reason: unknown) => reason);
    faulty.disarm();
    if (faulty.fired() === 0) break;
    if (error !== true) expect(error).toMatchObject({ code: "KEY_UNAVAILABLE", retryable: true });
    expect((await store.get("s")).keys[0]).toEqual(key);
    expect(await store.add("s", someKey())).toBe(true);
    expect(at).toBeLessThan(60);
  }
});

test("a lock that another process holds is KEY_UNAVAILABLE in the end", async () => {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, "s.keys.lock"));
  const store = fileKeyStore({ dir, busyTimeoutMs: 0 });
  const error = await store.add("s", someKey()).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "KEY_UNAVAILABLE", retryable: true });
});

test("shred leaves wrapped bytes in no file, and overwrites the one that held them", async () => {
  const dir = temporaryDirectory();
  const spare = join(temporaryDirectory(), "linked");
  const keys = [someKey(), someKey()];
  const store = fileKeyStore({ dir });
  for (const key of keys) await store.add("s", key);
  // A second name for the same file shows what became of its content.
  linkSync(join(dir, "s.keys"), spare);
  for (const { wrapped } of keys) expect(filesWith(dir, wrapped)).toHaveLength(1);
  await store.shred("s");
  for (const { wrapped } of keys) expect(filesWith(dir, wrapped)).toEqual([]);
  expect(readFileSync(spare).every((byte) => byte === 0)).toBe(true);
});

test("a file that is overwritten while it is read is read again", async () => {
  const dir = temporaryDirectory();
  const store = fileKeyStore({ dir });
  await store.add("s", someKey());
  let shredded: Promise<void> | undefined;
  const racing = fileKeyStore({
    dir,
    port: {
      ...nodeFilePort,
      fstatSync: ((fd: number) => {
        // Between opening and reading: the descriptor's file is no longer the session's.
        if (shredded === undefined) {
          shredded = Promise.resolve();
          const path = join(dir, "s.keys");
          const { size } = statSync(path);
          writeFileSync(path, new Uint8Array(size));
          rmSync(path);
        }
        return nodeFilePort.fstatSync(fd);
      }) as typeof nodeFilePort.fstatSync,
    },
  });
  expect(await racing.get("s")).toEqual({ shredded: false, keys: [] });
});
