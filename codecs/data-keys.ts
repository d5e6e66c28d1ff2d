import type { WrappedKey } from "../src/index.ts";
import { equalInConstantTime } from "./bytes.ts";
import { keyError, type KeyCalls } from "./key-calls.ts";
import type { KeyWrapper, WrapContext } from "./key-wrapper.ts";
import { keyBytes, secretKey, type SecretKey } from "./secret-key.ts";
import type { ResolvedSessionKeysOptions } from "./session-key-options.ts";

/** Makes data keys and opens wrapped ones; raw bytes of keys are nowhere else. */
export interface DataKeys {
  /** A fresh key, and the same key for the store. */
  create(sessionId: string): Promise<{ readonly key: SecretKey; readonly wrapped: WrappedKey }>;
  /** The key in a wrapping, checked against its id. */
  open(sessionId: string, wrapped: WrappedKey): Promise<SecretKey>;
  /** The same key wrapped by the current wrapper; null when it is so already. */
  rewrap(sessionId: string, wrapped: WrappedKey): Promise<WrappedKey | null>;
  /** Calls to wrappers so far. */
  counts(): { readonly wraps: number; readonly unwraps: number };
}

/** The longest ciphertext of a key management service has about 6 KiB; this keeps a store small. */
const wrappedMaxBytes = 16 * 1024;

/** Data keys behind the wrappers of the options. */
export function createDataKeys(
  { wrapper, openers, namespace }: ResolvedSessionKeysOptions,
  calls: KeyCalls,
): DataKeys {
  let wraps = 0;
  let unwraps = 0;
  let proven = false;
  const wrapperId = wrapper.id;

  const contextOf = (sessionId: string, keyId: string): WrapContext =>
    Object.freeze({ purpose: "session-key", namespace, sessionId, keyId });

  async function wrapBytes(
    sessionId: string,
    keyId: string,
    raw: Uint8Array,
    prove: boolean,
  ): Promise<Uint8Array> {
    const place = { sessionId, keyId };
    // A copy, so that nothing a wrapper does to it changes what the key is compared with.
    const lent = raw.slice();
    wraps += 1;
    const wrapped = await calls
      .run("wrap", place, async (signal) => {
        const result = await wrapper.wrap(lent, contextOf(sessionId, keyId), signal);
        if (isBytes(result) && result.length > 0 && result.length <= wrappedMaxBytes) {
          return new Uint8Array(result);
        }
        throw new TypeError(`wrap: wanted 1 to ${wrappedMaxBytes} bytes`);
      })
      .finally(() => lent.fill(0));
    if (prove) {
      const opened = await unwrapBytes(wrapper, place, wrapped);
      const same = equalInConstantTime(opened, raw);
      opened.fill(0);
      if (!same) {
        throw keyError("WRONG_KEY", sessionId, keyId, "its wrapper does not open what it wrapped");
      }
    }
    return wrapped;
  }

  function unwrapBytes(
    opener: KeyWrapper,
    { sessionId, keyId }: { sessionId: string; keyId: string },
    wrapped: Uint8Array,
  ): Promise<Uint8Array> {
    unwraps += 1;
    return calls.run("unwrap", { sessionId, keyId }, async (signal) => {
      const context = contextOf(sessionId, keyId);
      const raw = await opener.unwrap(new Uint8Array(wrapped), context, signal);
      if (!isBytes(raw)) throw new TypeError("unwrap: wanted bytes");
      // Too late: nobody is there to overwrite them.
      if (signal.aborted) raw.fill(0);
      return raw;
    });
  }

  /** @returns bytes that the caller overwrites, and the key with the wanted id */
  async function openBytes(
    sessionId: string,
    { id, wrapperId: made, wrapped }: WrappedKey,
  ): Promise<{ raw: Uint8Array; key: SecretKey }> {
    const opener = openers.get(made);
    if (opener === undefined) {
      throw keyError("KEY_UNKNOWN", sessionId, id, "the wrapper that made it is not configured");
    }
    const raw = await unwrapBytes(opener, { sessionId, keyId: id }, wrapped);
    // A copy, since it may be a Buffer over memory that others use.
    const key = raw.length === keyBytes ? await secretKey(new Uint8Array(raw)) : null;
    if (key?.id === id) return { raw, key };
    raw.fill(0);
    throw keyError("WRONG_KEY", sessionId, id, "the wrapper opened another key in its place");
  }

  return {
    async create(sessionId) {
      const raw = crypto.getRandomValues(new Uint8Array(keyBytes));
      try {
        const key = await secretKey(raw);
        // Once for each source, so that a wrapper which cannot open its own is found before any
        // record depends on it.
        const wrapped = await wrapBytes(sessionId, key.id, raw, !proven);
        proven = true;
        const created = new Date().toISOString();
        return { key, wrapped: { id: key.id, wrapperId, wrapped, created } };
      } finally {
        raw.fill(0);
      }
    },

    async open(sessionId, wrapped) {
      const { raw, key } = await openBytes(sessionId, wrapped);
      raw.fill(0);
      return key;
    },

    async rewrap(sessionId, key) {
      if (key.wrapperId === wrapperId) return null;
      const { raw } = await openBytes(sessionId, key);
      try {
        // Always proven: it takes the place of a wrapping that works.
        const wrapped = await wrapBytes(sessionId, key.id, raw, true);
        return { ...key, wrapperId, wrapped };
      } finally {
        raw.fill(0);
      }
    },

    counts: () => ({ wraps, unwraps }),
  };
}

/** Also arrays of another realm, which `instanceof` does not know. */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}
