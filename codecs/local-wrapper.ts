import { CheckpointError } from "../src/index.ts";
import { concat, lengthPrefixed, toHex, utf8 } from "./bytes.ts";
import type { KeyWrapper, WrapContext } from "./key-wrapper.ts";
import { labelled } from "./labelled.ts";
import { openKey, sealedKeyBytes, sealKey, type SealedKeyBinding } from "./sealed-key.ts";
import { secretKey, type KeyInput, type SecretKey, type WebCryptoKey } from "./secret-key.ts";

/** Options of {@link localWrapper}. */
export interface LocalWrapperOptions {
  /** Wraps new keys and opens its own. For a Web Crypto key, pass `await secretKey(key)`. */
  readonly key: Exclude<KeyInput, WebCryptoKey>;
  /** Former keys, which only open what they wrapped; needed until `rewrap()` has gone through. */
  readonly decryptOnly?: readonly Exclude<KeyInput, WebCryptoKey>[] | undefined;
}

const version = 1;
const keyIdBytes = 8;
const headerBytes = 1 + keyIdBytes;
const label = "checkpointer-kit/wrapped-key/v1";

/**
 * A wrapper around a key that this process holds: AES-256-GCM with the whole context as associated
 * data. Better kept by a key management service; good enough where a secret manager hands keys out.
 *
 * To rotate: deploy `{ key: new, decryptOnly: [old] }` everywhere, call `rewrap()`, remove the old.
 *
 * @throws TypeError for bad keys, and for a key that stands twice
 * @example
 * ```ts
 * const store = fileKeyStore({ dir: "./keys" });
 * const keys = sessionKeys({ store, wrapper: localWrapper({ key }) });
 * ```
 */
export function localWrapper(options: LocalWrapperOptions): KeyWrapper {
  const { key, decryptOnly = [] } = options;
  const primary = ready(key);
  const keys = new Map([primary, ...decryptOnly.map(ready)].map((each) => [each.id, each]));
  if (keys.size !== decryptOnly.length + 1) {
    throw new TypeError("localWrapper: the same key stands twice");
  }
  const id = wrapperId(primary.id);
  const wrapper: KeyWrapper = {
    id,
    opens: Object.freeze([...keys.keys()].map(wrapperId).filter((other) => other !== id)),

    async wrap(dataKey, context, signal) {
      signal?.throwIfAborted();
      const header = headerOf(primary.id);
      return concat(header, await sealKey(primary, bindingOf(header, context), dataKey));
    },

    async unwrap(wrapped, context, signal) {
      signal?.throwIfAborted();
      if (wrapped.length !== headerBytes + sealedKeyBytes || wrapped[0] !== version) {
        throw refuse("UNSUPPORTED_FORMAT", context, `wanted a key wrapped in version ${version}`);
      }
      const header = wrapped.slice(0, headerBytes);
      const under = keys.get(toHex(header.subarray(1)));
      if (under === undefined) {
        throw refuse("KEY_UNKNOWN", context, "the key that wrapped it is not configured");
      }
      const sealed = wrapped.subarray(headerBytes);
      const opened = await openKey(under, bindingOf(header, context), sealed);
      if (typeof opened === "string") {
        throw refuse("WRONG_KEY", context, "it was wrapped for another place, or changed");
      }
      return opened;
    },
  };
  return labelled(wrapper, () => `KeyWrapper ${id}`);
}

function ready(input: KeyInput): SecretKey {
  const key = secretKey(input);
  if (!(key instanceof Promise)) return key;
  // Reported here already; what becomes of the key interests nobody.
  key.catch(() => undefined);
  throw new TypeError("localWrapper: wanted a key that is ready, pass `await secretKey(key)`");
}

function wrapperId(keyId: string): string {
  return `local:${keyId}`;
}

function headerOf(keyId: string): Uint8Array {
  const digits = keyId.match(/../g) ?? [];
  return Uint8Array.of(version, ...digits.map((pair) => Number.parseInt(pair, 16)));
}

function bindingOf(header: Uint8Array, context: WrapContext): SealedKeyBinding {
  const { purpose, namespace, sessionId, keyId } = context;
  const parts = [purpose, namespace, sessionId, keyId].map(utf8);
  return { label, aad: lengthPrefixed(header, ...parts) };
}

function refuse(
  code: "UNSUPPORTED_FORMAT" | "KEY_UNKNOWN" | "WRONG_KEY",
  { keyId }: WrapContext,
  detail: string,
): CheckpointError {
  return new CheckpointError(code, `Cannot unwrap key ${keyId}: ${detail}`);
}
