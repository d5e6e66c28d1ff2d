/**
 * Goal: a record means one thing, whatever key is behind its id. AES-GCM alone does not promise that:
 * whoever chooses two keys can make a ciphertext that opens under both. The commitment does.
 */
import { expect, test } from "vitest";
import { nobleAesGcm, nodeAesGcm, webAesGcm, type Aead } from "../../codecs/aead.ts";
import { createHeader, withNonce } from "../../codecs/envelope.ts";
import { deriveKey } from "../../codecs/epochs.ts";
import { aesGcm, secretKey, type KeySource, type SecretKey } from "../../codecs/index.ts";
import { recordAad } from "../../codecs/record-aad.ts";
import { bytesOf, firstKey, placeOf, pseudoRandom, refusalOf, secondKey } from "./fixtures.ts";
import { twoKeyCiphertext } from "./two-key-ciphertext.ts";

const place = placeOf();
const salt = pseudoRandom(1, 12);
const nonce = pseudoRandom(2, 12);

/** Record key and commitment of an epoch, the key in the open. */
async function derive(input: Uint8Array): Promise<{ key: Uint8Array; commitment: Uint8Array }> {
  const open: Aead = { ...nobleAesGcm, importKey: (bytes) => Uint8Array.from(bytes) };
  const binding = { aead: open, pipeline: "aes-gcm", namespace: "" };
  const key = await secretKey(input);
  const derived = await deriveKey(binding, key, salt, bytesOf(place.sessionId));
  return { key: derived.key as Uint8Array, commitment: derived.commitment };
}

/** A source in which one id stands for one key here and for another one there. */
async function sourceOf(input: Uint8Array, id: string): Promise<KeySource> {
  const key = await secretKey(input);
  const shown: SecretKey = { id, derive: (...input) => key.derive(...input) };
  return { current: () => shown, find: () => shown };
}

test("a ciphertext that opens under two keys is a record under one of them only", async () => {
  const [one, two] = [await derive(firstKey), await derive(secondKey)];
  const id = "00112233aabbccdd";
  for (const { commitment, reads, refuses } of [
    { commitment: one.commitment, reads: firstKey, refuses: secondKey },
    { commitment: two.commitment, reads: secondKey, refuses: firstKey },
  ]) {
    const flags = { chained: true, padded: false };
    const { suite } = nobleAesGcm;
    const header = withNonce(createHeader(suite, flags, id, salt, commitment), nonce);
    const aad = recordAad(header, bytesOf(place.sessionId), 1, place.ts, new Uint8Array(0));
    const sealed = twoKeyCiphertext(nonce, { key: one.key, aad }, { key: two.key, aad });

    for (const aead of [nodeAesGcm()!, webAesGcm(), nobleAesGcm]) {
      for (const { key } of [one, two]) {
        expect(await aead.open(await aead.importKey(key), nonce, aad, sealed)).toHaveLength(16);
      }
    }

    const record = Uint8Array.of(...header, ...sealed);
    const reader = aesGcm({ keys: await sourceOf(reads, id) });
    expect(await reader.decode(record, place)).toHaveLength(16);
    const other = aesGcm({ keys: await sourceOf(refuses, id) });
    expect(await refusalOf(other, record, place)).toMatchObject({ code: "WRONG_KEY", keyId: id });
  }
});
