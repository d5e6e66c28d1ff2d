import type { KeyWrapper, WrapContext } from "../../codecs/index.ts";
import { CheckpointError, type ErrorCode } from "../../src/index.ts";

/** Options of {@link httpKmsWrapper}. */
export interface HttpKmsWrapperOptions {
  /** Where the service is; `https:` anywhere but on this machine. */
  readonly url: string;
  /** Name of the key-encryption key at the service. */
  readonly keyName: string;
  /** Tries before a call fails with `KEY_UNAVAILABLE`. Default 3. */
  readonly attempts?: number | undefined;
  /** Milliseconds before the second try; doubles with each one after it. Default 50. */
  readonly firstDelayMs?: number | undefined;
}

/**
 * A wrapper around a key management service: the key-encryption key never leaves it, and it refuses
 * to open a key in any other context than the one it was wrapped in.
 *
 * Shows what a wrapper has to get right, and how little that is: hand the context over, tell
 * failures that pass from failures that stay, and listen to the signal.
 */
export function httpKmsWrapper(options: HttpKmsWrapperOptions): KeyWrapper {
  const { url, keyName, attempts = 3, firstDelayMs = 50 } = options;

  async function call(action: "encrypt" | "decrypt", body: object, signal?: AbortSignal) {
    const target = new URL(`/keys/${encodeURIComponent(keyName)}/${action}`, url);
    for (let attempt = 1; ; attempt += 1) {
      const response = await post(target, body, signal);
      if (response?.ok === true) return response.json() as Promise<Record<string, string>>;
      // 429 and 5xx are worth another try, as is a connection that broke.
      const passes = response === null || response.status === 429 || response.status >= 500;
      if (!passes) throw refuse(codeOf(response.status), `the service answered ${response.status}`);
      if (attempt >= attempts) throw refuse("KEY_UNAVAILABLE", `${attempts} tries failed`);
      // Half of it random, so that clients that failed together do not come back together.
      await pause(firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2), signal);
    }
  }

  return {
    id: `kms:${keyName}`,

    async wrap(key, context, signal) {
      const body = { plaintext: encode(key), context: toEncryptionContext(context) };
      const { ciphertext = "" } = await call("encrypt", body, signal);
      return decode(ciphertext);
    },

    async unwrap(wrapped, context, signal) {
      const body = { ciphertext: encode(wrapped), context: toEncryptionContext(context) };
      const { plaintext = "" } = await call("decrypt", body, signal);
      return decode(plaintext);
    },
  };
}

/**
 * Names and values as text, which is what such services authenticate and write to their audit log.
 */
function toEncryptionContext(context: WrapContext): Record<string, string> {
  const { purpose, namespace, sessionId, keyId } = context;
  return { purpose, namespace, sessionId, keyId };
}

/** @returns null when there was no answer; an abort is thrown on */
async function post(target: URL, body: object, signal?: AbortSignal): Promise<Response | null> {
  signal?.throwIfAborted();
  try {
    return await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function codeOf(status: number): ErrorCode {
  if (status === 400) return "WRONG_KEY";
  if (status === 404) return "KEY_UNKNOWN";
  // Somebody took the right away; nobody knows for how long.
  return status === 403 ? "KEY_DISABLED" : "KEY_UNAVAILABLE";
}

function refuse(code: ErrorCode, detail: string): CheckpointError {
  return new CheckpointError(code, `Cannot use the key management service: ${detail}`);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function decode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}
