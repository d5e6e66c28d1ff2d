/**
 * Goal: every implementation of a cipher agrees with the published vectors, and opens nothing that
 * they call invalid. Method: each vector is sealed and opened through the interface the codecs use.
 */
import { afterAll, describe, expect, test } from "vitest";
import { nobleAesGcm, nobleXchacha, nodeAesGcm, webAesGcm, type Aead } from "../../codecs/aead.ts";
import { fromHex, toHex } from "./fixtures.ts";
import { vectorGroups, xaesVectors, type AeadVector, type VectorGroup } from "./vector-files.ts";

const aesBackends = [nodeAesGcm()!, webAesGcm(), nobleAesGcm];
const aesGroups = vectorGroups<AeadVector>("aes_gcm_test.json");
const xchachaGroups = vectorGroups<AeadVector>("xchacha20_poly1305_test.json");
const xaes = xaesVectors();
const lines: string[] = [];

afterAll(() => console.log(lines.join("\n")));

/** Whether a group has keys, nonces and tags of the sizes that a cipher is used with. */
function isOurs({ suite }: Aead, group: VectorGroup<AeadVector>): boolean {
  const { keySize, ivSize, tagSize } = group;
  return keySize === 256 && ivSize === suite.nonceBytes * 8 && tagSize === 128;
}

interface Result {
  readonly sealed: string | null;
  readonly opened: string | null;
}

async function run(aead: Aead, vector: AeadVector): Promise<Result> {
  const { iv, aad, msg, ct, tag } = vector;
  const key = await aead.importKey(fromHex(vector.key));
  const opened = await aead.open(key, fromHex(iv), fromHex(aad), fromHex(ct + tag));
  const sealed = await aead.seal(key, fromHex(iv), fromHex(aad), fromHex(msg));
  return { sealed: toHex(sealed), opened: opened === null ? null : toHex(opened) };
}

/** Vectors with other sizes of nonce cannot be sealed; they must not open either. */
async function opens(aead: Aead, { key, iv, aad, ct, tag }: AeadVector): Promise<boolean> {
  const imported = await aead.importKey(fromHex(key));
  return (await aead.open(imported, fromHex(iv), fromHex(aad), fromHex(ct + tag))) !== null;
}

async function certify(aead: Aead, groups: readonly VectorGroup<AeadVector>[]): Promise<number[]> {
  let [valid, invalid] = [0, 0];
  for (const vector of groups
    .filter((group) => isOurs(aead, group))
    .flatMap(({ tests }) => tests)) {
    const { sealed, opened } = await run(aead, vector);
    const published = vector.ct + vector.tag;
    if (vector.result === "valid") {
      expect({ id: vector.tcId, sealed, opened }).toEqual({
        id: vector.tcId,
        sealed: published,
        opened: vector.msg,
      });
      valid += 1;
    } else {
      expect({ id: vector.tcId, opened }).toEqual({ id: vector.tcId, opened: null });
      expect(sealed).not.toBe(published);
      invalid += 1;
    }
  }
  lines.push(`${aead.suite.name} by ${aead.backend}: ${valid} valid, ${invalid} invalid vectors`);
  return [valid, invalid];
}

describe.skipIf(aesGroups === null)("Wycheproof AES-GCM, 256-bit keys and 96-bit nonces", () => {
  test.each(aesBackends)("by $backend", async (aead) => {
    expect(await certify(aead, aesGroups ?? [])).toEqual([39, 27]);
  });
});

describe.skipIf(xchachaGroups === null)("Wycheproof XChaCha20-Poly1305", () => {
  test("with 192-bit nonces", async () => {
    expect(await certify(nobleXchacha, xchachaGroups ?? [])).toEqual([246, 60]);
  });

  test("with nonces of other sizes, which open nothing", async () => {
    const others = (xchachaGroups ?? []).filter((group) => !isOurs(nobleXchacha, group));
    const vectors = others.flatMap(({ tests }) => tests);
    for (const vector of vectors) expect(await opens(nobleXchacha, vector)).toBe(false);
    lines.push(`xchacha by noble: ${vectors.length} invalid vectors with other nonces`);
    expect(vectors).toHaveLength(9);
  });
});

// XAES is none of our suites, but its last step is AES-GCM under a derived key.
describe.skipIf(xaes === null)("C2SP XAES-256-GCM, its last step", () => {
  test.each(aesBackends)("by $backend", async (aead) => {
    for (const { derivedKey, derivedNonce, msg, aad, ct } of xaes ?? []) {
      const key = await aead.importKey(fromHex(derivedKey));
      const input = [key, fromHex(derivedNonce), fromHex(aad)] as const;
      expect(toHex(await aead.seal(...input, fromHex(msg)))).toBe(ct);
      expect(toHex((await aead.open(...input, fromHex(ct)))!)).toBe(msg);
    }
    lines.push(`xaes last step by ${aead.backend}: ${xaes?.length} vectors`);
  });
});
