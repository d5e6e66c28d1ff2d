import type { Codec } from "../src/index.ts";
import { nobleXchacha } from "./aead.ts";
import { createSealingCodec, type SealOptions } from "./sealing-codec.ts";

/**
 * Seals every record with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), synchronously and without
 * tables on every platform. Binds what `aesGcm` binds.
 *
 * @throws TypeError for bad options
 */
export function xchacha(options: SealOptions): Codec {
  return createSealingCodec(nobleXchacha, options);
}
