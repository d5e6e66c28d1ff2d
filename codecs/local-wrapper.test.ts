import { createSecretKey } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { flipBit, fromHex } from "../test/codecs/fixtures.ts";
import { generateKey, localWrapper, secretKey, type WrapContext } from "./index.ts";

const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const dataKey = Uint8Array.from({ length: 32 }, (_, index) => index);
const context: WrapContext = {
  purpose: "session-key",
  namespace: "",
  sessionId: "s",
  keyId: "0123456789abcdef",
};

test.each([
  ["raw bytes", () => first],
  ["base64", () => Buffer.from(first).toString("base64")],
  ["a KeyObject", () => createSecretKey(first)],
  ["a secret key", () => secretKey(first)],
])("localWrapper() opens what it wrapped under %s", async (_name, key) => {
  const wrapper = localWrapper({ key: key() as Uint8Array });
  const wrapped = await wrapper.wrap(dataKey, context);
  expect(wrapped).toHaveLength(113);
  expect(await wrapper.unwrap(wrapped, context)).toEqual(dataKey);
  expect(await localWrapper({ key: first }).unwrap(wrapped, context)).toEqual(dataKey);
  expect(wrapper.id).toBe(localWrapper({ key: first }).id);
});

test("localWrapper() takes a Web Crypto key once it is a secret key", async () => {
  const imported = await crypto.subtle.importKey("raw", first, "HKDF", false, ["deriveBits"]);
  const options = { key: imported as unknown as Uint8Array };
  expect(() => localWrapper(options)).toThrow("await secretKey");
  const wrapper = localWrapper({ key: await secretKey(imported) });
  const wrapped = await wrapper.wrap(dataKey, context);
  expect(await localWrapper({ key: first }).unwrap(wrapped, context)).toEqual(dataKey);
});

test("localWrapper() opens nothing in another context, however alike", async () => {
  const wrapper = localWrapper({ key: first });
  const text = fc.oneof(fc.constantFrom("", "a", "ab", "b", "\0", "\0\0\0\x01a"), fc.string());
  const place = fc.record({ namespace: text, sessionId: text, keyId: text });
  await fc.assert(
    fc.asyncProperty(place, place, async (left, right) => {
      const wrapped = await wrapper.wrap(dataKey, { ...context, ...left });
      const opened = wrapper.unwrap(wrapped, { ...context, ...right });
      const same = JSON.stringify(left) === JSON.stringify(right);
      if (same) await expect(opened).resolves.toEqual(dataKey);
      else await expect(opened).rejects.toMatchObject({ code: "WRONG_KEY" });
    }),
    {
      examples: [
        [
          { namespace: "a", sessionId: "b", keyId: "" },
          { namespace: "", sessionId: "ab", keyId: "" },
        ],
      ],
    },
  );
});

test("localWrapper() refuses every flipped bit and every other length", async () => {
  const wrapper = localWrapper({ key: first });
  const wrapped = await wrapper.wrap(dataKey, context);
  const codes = new Map<string, number>();
  for (let bit = 0; bit < wrapped.length * 8; bit += 1) {
    const error = await wrapper.unwrap(flipBit(wrapped, bit), context).catch((e: unknown) => e);
    const code = (error as { code: string }).code;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const bits = { UNSUPPORTED_FORMAT: 8, KEY_UNKNOWN: 64, WRONG_KEY: 104 * 8 };
  expect(Object.fromEntries(codes)).toEqual(bits);
  for (const bytes of [wrapped.subarray(1), new Uint8Array(0), Buffer.concat([wrapped, first])]) {
    const refused = { code: "UNSUPPORTED_FORMAT" };
    await expect(wrapper.unwrap(bytes, context)).rejects.toMatchObject(refused);
  }
});

test("localWrapper() opens what former keys wrapped, and wraps with the new one", async () => {
  const former = localWrapper({ key: first });
  const wrapper = localWrapper({ key: second, decryptOnly: [first] });
  expect(wrapper.id).toBe(localWrapper({ key: second }).id);
  expect(wrapper.opens).toEqual([former.id]);
  const wrapped = await former.wrap(dataKey, context);
  expect(await wrapper.unwrap(wrapped, context)).toEqual(dataKey);
  const fresh = await wrapper.wrap(dataKey, context);
  expect(await localWrapper({ key: second }).unwrap(fresh, context)).toEqual(dataKey);
  await expect(former.unwrap(fresh, context)).rejects.toMatchObject({ code: "KEY_UNKNOWN" });
});

test("localWrapper() stops at an aborted signal", async () => {
  const wrapper = localWrapper({ key: first });
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await expect(wrapper.wrap(dataKey, context, signal)).rejects.toBe(reason);
  await expect(wrapper.unwrap(dataKey, context, signal)).rejects.toBe(reason);
});

test("localWrapper() refuses a key that stands twice, and anything that is no key", () => {
  expect(() => localWrapper({ key: first, decryptOnly: [first] })).toThrow("stands twice");
  for (const key of ["password", new Uint8Array(31), undefined, {}]) {
    expect(() => localWrapper({ key: key as Uint8Array })).toThrow(TypeError);
  }
});

test("a local wrapper prints as its id", () => {
  const wrapper = localWrapper({ key: generateKey() });
  const shown = `KeyWrapper ${wrapper.id}`;
  expect(wrapper.id).toMatch(/^local:[0-9a-f]{16}$/);
  expect(inspect(wrapper, { depth: null, showHidden: true })).toBe(shown);
  expect(JSON.stringify({ wrapper })).toBe(JSON.stringify({ wrapper: shown }));
  expect(String(wrapper as unknown)).toBe(shown);
});

test("localWrapper() opens what was wrapped before this version", async () => {
  const golden = fromHex(
    "014c0773cb23e6aa7ea97edf0ee5df89ff7cad02a1aa8301a32882d07403aec7" +
      "19f22f33f83f6a4181a362d1ef3e9fe11a60953710be83e12cc143c6bc31b853" +
      "a3ddf6773172709da29c02c232b295b78a455fbf26a6f9bec8342e87c9f6931d" +
      "09e30b3114d15b17e3f6fdeccbb0ba93f8",
  );
  expect(await localWrapper({ key: first }).unwrap(golden, context)).toEqual(dataKey);
});
