import { createDecipheriv, hkdfSync, scryptSync } from "node:crypto";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { toHex } from "../test/codecs/fixtures.ts";
import {
  changePassword,
  createPasswordVault,
  keyRing,
  localWrapper,
  openPasswordVault,
  type PasswordCost,
} from "./index.ts";
import { passwordBytes } from "./password-cost.ts";

const password = "correct horse battery staple";

/** Made by the first version; must open for ever. */
const golden = {
  scrypt:
    "$ckpt-scrypt$v=1$ln=17,r=8,p=1$TQpUKODU3jjHxS/2DI3dHQ$IT7F4pKpwSI1XCJ6MJPQZZu3ZskfqTrm2A2Fig/ITFUGk6kxzgSTZCplW/lpeJwKCc2Z5zixC1+FPeirmnfS7A/6BxN6oas8eRWum1Qn0tTMfm2phtlGQRSqx2HDdgIB2gBAf6d/NaY",
  argon2id:
    "$ckpt-argon2id$v=1$m=19456,t=2,p=1$L1ChOddEw9PefM0eUo3JkA$WA2NFsaqOd5Z3yXYazfzXppC9oBnugPrGzRqQ11vxgbc8eWLMIgbDflb0xnAYI3Wy4BekXb3wn5sdA6+1Dwmk8v/kLPKNRwi/y2DqvhP84muj9B6ZSJVVpZb/bvwSH9KJKC60w/XTOI",
} as const;

afterEach(() => vi.restoreAllMocks());

test.each([
  ["scrypt", golden.scrypt, "f70747af8e996458"],
  ["argon2id", golden.argon2id, "373d64b3260236c4"],
])("openPasswordVault() opens what was made before this version with %s", async (_, vault, id) => {
  expect((await openPasswordVault({ vault, password })).id).toBe(id);
  const wrong = openPasswordVault({ vault, password: `${password} ` });
  await expect(wrong).rejects.toMatchObject({ code: "WRONG_KEY", retryable: false });
});

test("a vault is what the format says", async () => {
  const parts = golden.scrypt.split("$");
  expect(parts.slice(0, 4)).toEqual(["", "ckpt-scrypt", "v=1", "ln=17,r=8,p=1"]);
  const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
  const salt = Buffer.from(parts[4]!, "base64");
  const under = scryptSync(password, salt, 32, options);
  const sealed = Buffer.from(parts[5]!, "base64");
  const label = "checkpointer-kit/password-vault/v1";
  const info = Buffer.concat([Buffer.of(0, 0, 0, label.length), Buffer.from(label)]);
  const derived = Buffer.from(hkdfSync("sha256", under, sealed.subarray(0, 12), info, 64));
  const cipher = createDecipheriv("aes-256-gcm", derived.subarray(0, 32), sealed.subarray(44, 56));
  const clear = golden.scrypt.slice(0, golden.scrypt.lastIndexOf("$"));
  const lengths = [Buffer.of(0, 0, 0, 12), Buffer.of(0, 0, 0, clear.length)] as const;
  cipher.setAAD(
    Buffer.concat([lengths[0], sealed.subarray(0, 12), lengths[1], Buffer.from(clear)]),
  );
  cipher.setAuthTag(sealed.subarray(-16));
  const key = Buffer.concat([cipher.update(sealed.subarray(56, -16)), cipher.final()]);
  const opened = await openPasswordVault({ vault: golden.scrypt, password });
  expect(keyRing({ primary: key }).current("s", 1)).toMatchObject({ id: opened.id });
});

test("two vaults of one password have nothing in common", async () => {
  const [first, second] = await Promise.all([
    createPasswordVault(password),
    createPasswordVault(password),
  ]);
  expect(first).toHaveLength(golden.scrypt.length);
  expect(first.split("$").slice(4)).not.toEqual(second.split("$").slice(4));
  expect((await openPasswordVault({ vault: first, password })).id).not.toBe(
    (await openPasswordVault({ vault: second, password })).id,
  );
});

test("changePassword() keeps the key and nothing else", async () => {
  const cost: PasswordCost = { name: "argon2id" };
  const vault = await changePassword({
    vault: `\n ${golden.argon2id}\n`,
    password,
    newPassword: "tr0ub4dor&3",
    cost,
  });
  const { id } = await openPasswordVault({ vault: golden.argon2id, password });
  expect((await openPasswordVault({ vault, password: "tr0ub4dor&3" })).id).toBe(id);
  await expect(openPasswordVault({ vault, password })).rejects.toMatchObject({ code: "WRONG_KEY" });
  const wrong = changePassword({ vault, password, newPassword: "x", cost });
  await expect(wrong).rejects.toMatchObject({ code: "WRONG_KEY" });
});

test("a vault's key is good for a ring and for a wrapper", async () => {
  const key = await openPasswordVault({ vault: golden.argon2id, password });
  expect(keyRing({ primary: key }).current("s", 1)).toBe(key);
  expect(localWrapper({ key }).id).toBe(`local:${key.id}`);
  expect(JSON.stringify(key)).toBe(`"SecretKey ${key.id}"`);
});

test.each([
  ["kind", 6, "UNSUPPORTED_FORMAT"],
  ["version", 17, "UNSUPPORTED_FORMAT"],
  ["cost", 21, "UNSUPPORTED_FORMAT"],
  ["salt", 40, "WRONG_KEY"],
  ["inner salt", 61, "WRONG_KEY"],
  ["commitment", 80, "WRONG_KEY"],
  ["nonce", 124, "AUTH_FAILED"],
  ["sealed key", 150, "AUTH_FAILED"],
  ["tag", 190, "AUTH_FAILED"],
])("a vault with another %s is refused", async (_part, index, code) => {
  const vault = golden.argon2id;
  const other = vault[index] === "A" ? "B" : "A";
  const changed = vault.slice(0, index) + other + vault.slice(index + 1);
  const opened = openPasswordVault({ vault: changed, password });
  await expect(opened).rejects.toMatchObject({ code, retryable: false });
});

test.each([
  "",
  "$",
  golden.scrypt.slice(0, -1),
  `${golden.scrypt}A`,
  golden.scrypt.replace("v=1", "v=2"),
  golden.scrypt.replace("ckpt-scrypt", "scrypt"),
  golden.scrypt.replace("ckpt-scrypt", "ckpt-bcrypt"),
  // The last character of an array has bits to spare, and one spelling is enough.
  golden.scrypt.replace("DI3dHQ$", "DI3dHR$"),
  "x".repeat(1_000_000),
])("text that is no vault is refused, case %#", async (vault) => {
  const platform = vi.spyOn(process, "getBuiltinModule");
  const refused = { code: "UNSUPPORTED_FORMAT", retryable: false };
  await expect(openPasswordVault({ vault, password })).rejects.toMatchObject(refused);
  // Before any work is done.
  expect(platform).not.toHaveBeenCalled();
});

test.each([
  ["ln=17,r=8,p=1", "ln=16,r=8,p=1"],
  ["ln=17,r=8,p=1", "ln=21,r=8,p=1"],
  ["ln=17,r=8,p=1", "ln=30,r=8,p=1"],
  ["ln=17,r=8,p=1", "ln=17,r=1,p=1"],
  ["ln=17,r=8,p=1", "ln=17,r=9,p=1"],
  ["ln=17,r=8,p=1", "ln=17,r=8,p=5"],
  ["ln=17,r=8,p=1", "ln=17,r=8,p=0"],
  ["ln=17,r=8,p=1", "ln=017,r=8,p=1"],
  ["ln=17,r=8,p=1", "r=8,ln=17,p=1"],
  ["ln=17,r=8,p=1", "ln=17,r=8"],
  ["ln=17,r=8,p=1", "ln=17,r=8,p=1,p=1"],
  ["ln=17,r=8,p=1", "ln=999999999,r=8,p=1"],
])("a vault that says %s is not believed when it says %s", async (true_, claimed) => {
  const vault = golden.scrypt.replace(true_, claimed);
  const started = performance.now();
  await expect(openPasswordVault({ vault, password })).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
  expect(performance.now() - started).toBeLessThan(100);
});

test.each([
  "m=19455,t=2,p=1",
  "m=262145,t=2,p=1",
  "m=19456,t=1,p=1",
  "m=19456,t=9,p=1",
  "m=19456,t=2,p=5",
])("a vault that says %s is not believed either", async (claimed) => {
  const vault = golden.argon2id.replace("m=19456,t=2,p=1", claimed);
  const refused = { code: "LIMIT_EXCEEDED" };
  await expect(openPasswordVault({ vault, password })).rejects.toMatchObject(refused);
});

test.each<PasswordCost>([
  { name: "scrypt", logN: 16 },
  { name: "scrypt", logN: 21 },
  { name: "scrypt", logN: 17.5 },
  { name: "scrypt", p: 5 },
  { name: "argon2id", memoryKib: 1_024 },
  { name: "argon2id", passes: 1 },
  { name: "argon2id", lanes: 9 },
  { name: "md5" as "scrypt" },
])("a cost of %j is refused", async (cost) => {
  await expect(createPasswordVault(password, { cost })).rejects.toThrow(RangeError);
});

test("a higher cost is kept in the vault", async () => {
  const vault = await createPasswordVault(password, { cost: { name: "argon2id", passes: 3 } });
  expect(vault).toContain("$ckpt-argon2id$v=1$m=19456,t=3,p=1$");
  expect(await openPasswordVault({ vault, password })).toHaveProperty("id");
});

test("noble's scrypt opens what that of node:crypto made", async () => {
  const { id } = await openPasswordVault({ vault: golden.scrypt, password });
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  expect((await openPasswordVault({ vault: golden.scrypt, password })).id).toBe(id);
});

test("a password is the same however it was typed", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["caf\u00e9", "cafe\u0301"],
    ["\u1100\u1161", "\uac00"],
    ["\u212b", "\u00c5"],
    ["a b", "a\u00a0b"],
    ["a b", "a\u3000b"],
    ["a b", "a\u2003b"],
  ];
  for (const [left, right] of same) expect(passwordBytes(left)).toEqual(passwordBytes(right));
  const different: ReadonlyArray<readonly [string, string]> = [
    ["a", "A"],
    ["a", "a "],
    ["a  b", "a b"],
    ["\ufb01", "fi"],
    ["\uff41", "a"],
  ];
  for (const [left, right] of different)
    expect(passwordBytes(left)).not.toEqual(passwordBytes(right));
});

test("preparing a password is idempotent, and gives the bytes of its text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), (text) => {
      fc.pre(!/\p{Cc}/u.test(text));
      const bytes = passwordBytes(text);
      expect(passwordBytes(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))).toEqual(
        bytes,
      );
      expect(passwordBytes(bytes)).toEqual(bytes);
    }),
  );
});

test.each([
  "",
  "secret\n",
  "secret\r\n",
  "sec\tret",
  "\u0085secret",
  "secret\ud800",
  "x".repeat(4_097),
])("text that cannot be a password is refused without being told, case %#", (text) => {
  const error = (() => {
    try {
      return passwordBytes(text);
    } catch (thrown) {
      return thrown as Error;
    }
  })();
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).not.toContain("secret");
});

test("passwordBytes() copies bytes and takes them as they are", () => {
  const given = Uint8Array.of(0, 13, 10, 255);
  const bytes = passwordBytes(given);
  given.fill(7);
  expect(toHex(bytes)).toBe("000d0aff");
});
