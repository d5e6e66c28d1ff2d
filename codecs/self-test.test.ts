import { describe, expect, test, vi } from "vitest";
import { bytesOf, failureOf, firstRing, placeOf } from "../test/codecs/fixtures.ts";
import { nobleAesGcm, nobleXchacha, nodeAesGcm, webAesGcm, type Aead } from "./aead.ts";
import { createSealingCodec } from "./sealing-codec.ts";
import { selfTest } from "./self-test.ts";

describe.each([nodeAesGcm()!, webAesGcm(), nobleAesGcm, nobleXchacha])(
  "$suite.name by $backend",
  (aead) => {
    test("passes", async () => {
      expect(await selfTest({ ...aead })).toBeUndefined();
    });

    test.each<[string, Partial<Aead>]>([
      [
        "flips a bit of what it seals",
        {
          async seal(...input) {
            const sealed = await aead.seal(...input);
            sealed[0]! ^= 1;
            return sealed;
          },
        },
      ],
      ["opens nothing", { open: () => null }],
      ["opens to something else", { open: () => new Uint8Array(16).fill(1) }],
      ["opens to less", { open: () => new Uint8Array(15) }],
      ["ignores the key", { importKey: () => aead.importKey(new Uint8Array(32).fill(1)) }],
    ])("fails when the implementation %s, every time", async (_name, broken) => {
      const suspect = { ...aead, ...broken };
      for (let time = 0; time < 2; time += 1) {
        expect(await failureOf(() => selfTest(suspect))).toMatchObject({
          code: "IO_FAILED",
          message: `Cannot use ${aead.suite.name} by ${aead.backend}: it failed its self-test`,
        });
      }
    });
  },
);

test("a codec runs it once, before its first record, and seals nothing when it fails", async () => {
  const sound = { ...nobleXchacha, seal: vi.fn(nobleXchacha.seal.bind(nobleXchacha)) };
  const codec = createSealingCodec(sound, { keys: firstRing });
  await codec.encode(bytesOf("{}"), placeOf());
  await codec.encode(bytesOf("{}"), placeOf({ sessionId: "other" }));
  expect(sound.seal).toHaveBeenCalledTimes(3);

  const broken = { ...nobleXchacha, open: () => new Uint8Array(16).fill(1) };
  const failing = createSealingCodec(broken, { keys: firstRing });
  const work = (): unknown => failing.encode(bytesOf("{}"), placeOf());
  expect(await failureOf(work)).toMatchObject({ code: "IO_FAILED" });
  expect(await failureOf(work)).toMatchObject({ code: "IO_FAILED" });
});

test("a codec opens nothing with an implementation that fails it", async () => {
  const sealed = await createSealingCodec(nobleXchacha, { keys: firstRing }).encode(
    bytesOf("{}"),
    placeOf(),
  );
  const broken = { ...nobleXchacha, seal: () => new Uint8Array(32) };
  const failing = createSealingCodec(broken, { keys: firstRing });
  expect(await failureOf(() => failing.decode(sealed, placeOf()))).toMatchObject({
    code: "IO_FAILED",
  });
});
