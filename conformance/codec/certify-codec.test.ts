import { expect, test } from "vitest";
import type { Codec } from "../../src/index.ts";
import { certifyCodec } from "./certify-codec.ts";
import type { CodecFixture } from "./codec-fixture.ts";
import { codecProperties } from "./properties/index.ts";

const same: Codec = {
  id: "same",
  kind: "transform",
  encode: (bytes) => Uint8Array.from(bytes),
  decode: (bytes) => Uint8Array.from(bytes),
};

const fixture: CodecFixture = {
  name: "same",
  promises: { authenticates: false },
  createCodec: () => ({ ...same }),
};

/** Claims what it has not. */
const boasting: CodecFixture = {
  name: "boasting",
  promises: { authenticates: true, maxDecodedBytes: 1_000 },
  createCodec: () => ({ ...same, kind: "aead" }),
};

test("certifyCodec() runs every property in order, and the report survives JSON", async () => {
  const seen: string[] = [];
  const report = await certifyCodec(fixture, { onResult: ({ id }) => seen.push(id) });
  expect(report).toMatchObject({
    name: "same",
    codec: { id: "same", kind: "transform" },
    certified: true,
    promises: { authenticates: false, chains: false, encrypts: false, maxDecodedBytes: null },
    counts: { fail: 0, error: 0, hung: 0 },
  });
  const ids = codecProperties.map(({ id }) => id);
  expect(report.results.map(({ id }) => id)).toEqual(ids);
  expect(seen).toEqual(ids);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test("certifyCodec() of some properties certifies nothing", async () => {
  const report = await certifyCodec(fixture, { only: ["C02", "C22"] });
  expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["C02", "pass"],
    ["C22", "pass"],
  ]);
  expect(report.certified).toBeNull();
});

test("certifyCodec() gives no certificate for a promise that the fixture cannot show", async () => {
  const { results } = await certifyCodec(boasting, { only: ["C14", "C24", "C25", "C30"] });
  const found = results.map(({ id, outcome, blocks, message }) => [id, outcome, blocks, message]);
  expect(found).toEqual([
    ["C14", "skip", true, "the fixture has no createForeign"],
    ["C24", "skip", true, "the fixture names no secrets"],
    ["C25", "fail", false, "wanted a rejection, met a result"],
    ["C30", "skip", true, "the fixture has no createForeign"],
  ]);
});

test("a promise that is not made asks for nothing and blocks nothing", async () => {
  const { results } = await certifyCodec(fixture, { only: ["C09", "C14", "C25"] });
  expect(results.map(({ outcome, blocks, message }) => [outcome, blocks, message])).toEqual([
    ["skip", false, "it does not promise to authenticate"],
    ["skip", false, "it does not promise to authenticate"],
    ["skip", false, "it promises no maxDecodedBytes"],
  ]);
});

test("a failure names what was done to the record, and can be replayed when it was generated", async () => {
  const bitten: CodecFixture = {
    ...fixture,
    createCodec: () => ({
      ...same,
      decode: (bytes) => (bytes.length > 250 && bytes[0] === 7 ? bytes.subarray(1) : bytes),
    }),
  };
  const options = { only: ["C02"], seed: 5, effort: 20 };
  const [found] = (await certifyCodec(bitten, options)).results;
  expect(found).toMatchObject({ outcome: "fail", failedCase: expect.stringContaining("decode") });
  const replay = found?.replay ?? undefined;
  expect(replay).toBeDefined();
  const [again] = (await certifyCodec(bitten, { ...options, replay })).results;
  expect(again).toMatchObject({ outcome: "fail", failedCase: found?.failedCase });
  const [flipped] = (await certifyCodec(boasting, { only: ["C18"] })).results;
  expect(flipped?.message).toMatch(
    /^a record with bit 0 of byte 0 flipped: wanted .*, met \d+ bytes/,
  );
});

test("a decode that never ends is called hung", async () => {
  const endless: CodecFixture = {
    ...fixture,
    createCodec: () => ({ ...same, decode: () => new Promise<never>(() => undefined) }),
  };
  const { results, certified } = await certifyCodec(endless, { only: ["C03"], patience: 50 });
  expect(results[0]?.outcome).toBe("hung");
  expect(certified).toBeNull();
});

test("certifyCodec() refuses what is no fixture, and ids that it does not know", async () => {
  const wrong = [null, {}, { name: "x" }, { name: "x", promises: { authenticates: true } }];
  for (const one of wrong) {
    await expect(certifyCodec(one as unknown as CodecFixture)).rejects.toThrow(TypeError);
  }
  await expect(certifyCodec(fixture, { only: ["C99"] })).rejects.toThrow(RangeError);
});
