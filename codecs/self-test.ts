import { CheckpointError } from "../src/index.ts";
import type { Aead } from "./aead.ts";
import { toHex } from "./bytes.ts";
import { whenReady } from "./when-ready.ts";

/**
 * Results for an all-zero key, nonce and 16-byte plaintext without associated data. AES-GCM: test case
 * 14 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B. XChaCha20-Poly1305: made
 * by the implementation that passes the published vectors, which the tests run.
 */
const expected: Readonly<Record<Aead["suite"]["name"], string>> = {
  "aes-gcm": "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
  xchacha: "789e9689e5208d7fd9e1f3c5b5341f483959fc0b770c8e6d6116830dcb630cc5",
};

const tested = new WeakMap<Aead, Promise<undefined> | "passed">();

/**
 * Seals and opens one known answer with an implementation, once, before it is trusted with data.
 *
 * @returns a promise only if the implementation is asynchronous; undefined once it has passed
 * @throws CheckpointError `IO_FAILED` when the implementation is broken
 */
export function selfTest(aead: Aead): undefined | Promise<undefined> {
  const known = tested.get(aead);
  if (known !== undefined) return known === "passed" ? undefined : known;
  const nonce = new Uint8Array(aead.suite.nonceBytes);
  const nothing = new Uint8Array(0);
  const plaintext = new Uint8Array(16);
  const result = whenReady(aead.importKey(new Uint8Array(32)), (key) =>
    whenReady(aead.seal(key, nonce, nothing, plaintext), (sealed) =>
      whenReady(aead.open(key, nonce, nothing, sealed), (opened) => {
        const right = toHex(sealed) === expected[aead.suite.name];
        if (!right || opened === null || toHex(opened) !== toHex(plaintext)) {
          const which = `${aead.suite.name} by ${aead.backend}`;
          throw new CheckpointError("IO_FAILED", `Cannot use ${which}: it failed its self-test`);
        }
        tested.set(aead, "passed");
        return undefined;
      }),
    ),
  );
  if (!(result instanceof Promise)) return undefined;
  tested.set(aead, result);
  return result;
}
