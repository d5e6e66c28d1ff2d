import { CheckpointError, isCheckpointError } from "../src/index.ts";
import type { KeySource } from "./key-source.ts";
import { labelled } from "./labelled.ts";
import { passwordBytes } from "./password-cost.ts";
import { openPasswordVault, type PasswordOptions } from "./password-vault.ts";
import type { SecretKey } from "./secret-key.ts";

/**
 * One key, taken from a password vault at the first use. That takes about 0.3 seconds and 128 MiB,
 * once; a wrong password is remembered and fails every use with `WRONG_KEY`.
 *
 * @throws TypeError for an unusable password
 * @example
 * ```ts
 * const vault = await createPasswordVault("correct horse battery staple");
 * const codec = aesGcm({ keys: password({ vault, password: "correct horse battery staple" }) });
 * ```
 */
export function password(options: PasswordOptions): KeySource {
  const { vault } = options;
  if (typeof vault !== "string") throw new TypeError("vault: wanted a string");
  let secret: Uint8Array | null = passwordBytes(options.password);
  let opened: SecretKey | Promise<SecretKey> | undefined;

  async function open(given: Uint8Array): Promise<SecretKey> {
    try {
      opened = await openPasswordVault({ vault, password: given });
      forget();
      return opened;
    } catch (error) {
      // The same text and password cannot come to anything else, unless the machine was at fault.
      if (isCheckpointError(error) && !error.retryable) forget();
      else opened = undefined;
      throw error;
    }
  }

  function forget(): void {
    secret?.fill(0);
    secret = null;
  }

  function current(): SecretKey | Promise<SecretKey> {
    if (opened === undefined && secret !== null) {
      opened = open(secret);
      // Reported by whoever uses the key.
      opened.catch(() => undefined);
    }
    if (opened !== undefined) return opened;
    throw new CheckpointError("KEY_UNAVAILABLE", "Cannot open the password vault");
  }

  async function findLater(key: Promise<SecretKey>, keyId: string): Promise<SecretKey> {
    return match(await key, keyId);
  }

  const source: KeySource = {
    current,
    find(_sessionId, keyId) {
      const key = current();
      return key instanceof Promise ? findLater(key, keyId) : match(key, keyId);
    },
  };
  return labelled(source, () => "KeySource password");
}

function match(key: SecretKey, keyId: string): SecretKey {
  if (key.id === keyId) return key;
  throw new CheckpointError("KEY_UNKNOWN", `Key ${keyId} is not the password vault's`);
}
