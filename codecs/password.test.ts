import type nodeCrypto from "node:crypto";
import { inspect } from "node:util";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import { bytesOf, failureOf, placeOf } from "../test/codecs/fixtures.ts";
import { aesGcm, changePassword, createPasswordVault, password } from "./index.ts";

const right = "correct horse battery staple";
const wrong = "incorrect horse battery staple";
let vault: string;
beforeAll(async () => void (vault = await createPasswordVault(right)));
afterEach(() => vi.restoreAllMocks());

type Scrypt = typeof nodeCrypto.scrypt;

/** Puts `scrypt` in place of the platform's. */
function useScrypt(scrypt: (real: Scrypt, ...args: Parameters<Scrypt>) => void): void {
  const real = process.getBuiltinModule("node:crypto");
  const own = (...args: Parameters<Scrypt>): void => scrypt(real.scrypt, ...args);
  const crypto = { ...real, scrypt: own };
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:crypto" ? crypto : undefined,
  );
}

/** Counts how often a password is stretched. */
function countScrypt(): () => number {
  let calls = 0;
  useScrypt((real, ...args) => {
    calls += 1;
    real(...args);
  });
  return () => calls;
}

test("password() seals a log that only the same password opens", async () => {
  const open = (text: string) => aesGcm({ keys: password({ vault, password: text }) });
  const sealed = await open(right).encode(bytesOf("{}"), placeOf());
  expect(Buffer.from(await open(right).decode(sealed, placeOf())).toString()).toBe("{}");
  const refused = { code: "WRONG_KEY", retryable: false };
  expect(await failureOf(() => open(wrong).decode(sealed, placeOf()))).toMatchObject(refused);
});

test("a wrong password appends nothing", async () => {
  const codec = aesGcm({ keys: password({ vault, password: wrong }) });
  const checkpointer = memoryCheckpointer({ codec });
  const append = checkpointer.append("s", [{ type: "user", content: "Hello" }]);
  await expect(append).rejects.toMatchObject({ code: "WRONG_KEY" });
  expect(await checkpointer.head("s")).toBe(0);
  await checkpointer.close();
});

test("a changed password opens what was sealed before", async () => {
  const before = aesGcm({ keys: password({ vault, password: right }) });
  const sealed = await before.encode(bytesOf("{}"), placeOf());
  const changed = await changePassword({ vault, password: right, newPassword: "another" });
  const after = aesGcm({ keys: password({ vault: changed, password: "another" }) });
  expect(Buffer.from(await after.decode(sealed, placeOf())).toString()).toBe("{}");
});

test("a password is stretched once, at the first use, and answers at once later", async () => {
  const calls = countScrypt();
  const keys = password({ vault, password: right });
  expect(calls()).toBe(0);
  const uses = Array.from({ length: 64 }, async (_, index) => keys.current("s", index + 1));
  const [key] = await Promise.all(uses);
  expect(keys.current("s", 1)).toBe(key);
  expect(keys.find("t", key!.id)).toBe(key);
  expect(calls()).toBe(1);
});

test("a key that is not the vault's is unknown", async () => {
  const keys = password({ vault, password: right });
  const unknown = { code: "KEY_UNKNOWN" };
  await expect(Promise.resolve(keys.find("s", "0".repeat(16)))).rejects.toMatchObject(unknown);
  expect(() => keys.find("s", "0".repeat(16))).toThrow("not the password vault's");
});

test("a wrong password is tried once", async () => {
  const calls = countScrypt();
  const keys = password({ vault, password: wrong });
  for (let use = 0; use < 50; use += 1) {
    await expect(keys.current("s", 1)).rejects.toMatchObject({ code: "WRONG_KEY" });
  }
  expect(calls()).toBe(1);
});

test("a failure that is not the password's is tried again", async () => {
  let failing = true;
  useScrypt((real, ...args) => {
    if (failing) args[4](new Error("out of memory"), Buffer.alloc(0));
    else real(...args);
  });
  const keys = password({ vault, password: right });
  const unavailable = { code: "KEY_UNAVAILABLE", retryable: true };
  await expect(keys.current("s", 1)).rejects.toMatchObject(unavailable);
  failing = false;
  expect(await keys.current("s", 1)).toHaveProperty("id");
});

test("a failure that nobody waits for is no unhandled rejection", async () => {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", note);
  const keys = password({ vault, password: wrong });
  void keys.current("s", 1);
  void keys.current("s", 2);
  await failureOf(async () => keys.current("s", 1));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(seen).toEqual([]);
});

test("a password source prints as nothing but its kind", () => {
  const keys = password({ vault, password: right });
  expect(inspect(keys, { depth: null, showHidden: true })).toBe("KeySource password");
  expect(JSON.stringify(keys)).toBe('"KeySource password"');
  expect(String(keys as unknown)).toBe("KeySource password");
});

test("password() refuses what is no password at once, without telling it", () => {
  const options = { vault, password: "secret\n" };
  expect(() => password(options)).toThrow(TypeError);
  expect(() => password(options)).not.toThrow("secret");
  expect(() => password({ vault: 7 as unknown as string, password: right })).toThrow("vault");
});
