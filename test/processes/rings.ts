import { aesGcm, keyRing } from "../../codecs/index.ts";
import type { Codec } from "../../src/index.ts";
import { firstKey, secondKey } from "../codecs/fixtures.ts";

/**
 * Which of two keys a process has. Two are what a rotation goes through: `rotating` still seals with
 * the old key and opens both, `both` seals with the new one and opens both.
 */
export type Ring = "old" | "rotating" | "both" | "new";

/** The codec of a process with these keys. */
export function codecFor(ring: Ring): Codec {
  const keys = {
    old: { primary: firstKey },
    rotating: { primary: firstKey, decryptOnly: [secondKey] },
    both: { primary: secondKey, decryptOnly: [firstKey] },
    new: { primary: secondKey },
  };
  return aesGcm({ keys: keyRing(keys[ring]) });
}
