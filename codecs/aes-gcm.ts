import type { Codec } from "../src/index.ts";
import { nobleAesGcm, nodeAesGcm, webAesGcm, type Aead } from "./aead.ts";
import { createSealingCodec, type SealOptions } from "./sealing-codec.ts";

/** Options of {@link aesGcm}. */
export interface AesGcmOptions extends SealOptions {
  /**
   * Which implementation to use; all are byte-compatible. Default: `node:crypto` where there is one,
   * else Web Crypto, else @noble/ciphers.
   */
  readonly backend?: "node" | "webcrypto" | "noble" | undefined;
}

/**
 * Seals every record with AES-256-GCM (NIST SP 800-38D) under a key derived for its session.
 *
 * Bound to the record: session, seq, timestamp, key, the whole pipeline, and the record before it.
 * Not detected without an anchor: a cut tail, an old last record, a whole old log.
 *
 * @throws TypeError for bad options
 * @example
 * ```ts
 * const codec = pipeline(compress(), aesGcm({ keys: keyRing({ primary: key }) }));
 * ```
 */
export function aesGcm(options: AesGcmOptions): Codec {
  return createSealingCodec(chooseBackend(options.backend), options);
}

function chooseBackend(backend: AesGcmOptions["backend"]): Aead {
  const hasWebCrypto = typeof globalThis.crypto?.subtle?.encrypt === "function";
  switch (backend) {
    case undefined:
      return nodeAesGcm() ?? (hasWebCrypto ? webAesGcm() : nobleAesGcm);
    case "node": {
      const node = nodeAesGcm();
      if (node === null) throw new TypeError("backend: there is no node:crypto here");
      return node;
    }
    case "webcrypto":
      if (!hasWebCrypto) throw new TypeError("backend: there is no Web Crypto here");
      return webAesGcm();
    case "noble":
      return nobleAesGcm;
    default:
      throw new TypeError('backend: wanted "node", "webcrypto" or "noble"');
  }
}
