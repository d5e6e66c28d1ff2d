/**
 * The text of a password vault, as docs/format.md specifies it under "Password vault". No other
 * file knows its parts.
 *
 * @module
 */
import { CheckpointError } from "../src/index.ts";
import { utf8 } from "./bytes.ts";
import {
  passwordBytes,
  passwordSaltBytes,
  spellCost,
  stretchPassword,
  type PasswordCost,
  type SpelledCost,
} from "./password-cost.ts";
import { openKey, sealedKeyBytes, sealKey, type SealedKeyBinding } from "./sealed-key.ts";
import { keyBytes, secretKey, type SecretKey } from "./secret-key.ts";

/** A vault and the password that opens it. */
export interface PasswordOptions {
  /** What `createPasswordVault` returned; white space around it does not matter. */
  readonly vault: string;
  /**
   * Text is prepared as RFC 8265 says: all spaces alike, Unicode NFC, no control characters. Bytes,
   * of a key file for instance, are taken as they are.
   */
  readonly password: string | Uint8Array;
}

/** Options of {@link changePassword}. */
export interface ChangePasswordOptions extends PasswordOptions {
  readonly newPassword: string | Uint8Array;
  /** Default: scrypt with its defaults, whatever the vault had. */
  readonly cost?: PasswordCost | undefined;
}

/** Options of {@link createPasswordVault}. */
export interface PasswordVaultOptions {
  /** How much work it is to try one password. Default: scrypt with its defaults. */
  readonly cost?: PasswordCost | undefined;
}

const label = "checkpointer-kit/password-vault/v1";

/** In the way of PHC strings: `$ckpt-scrypt$v=1$ln=17,r=8,p=1$<salt>$<sealed key>`. */
const pattern = /^(\$ckpt-(scrypt|argon2id)\$v=1\$([a-z0-9=,]{1,60})\$([^$]{22}))\$([^$]{139})$/;

/**
 * Makes a random key and puts it behind a password: a line of text to be kept where the log is not,
 * such as a file of mode 0600. Whoever has the line can try passwords at leisure, as fast as the
 * cost lets them; a long random password is what protects it.
 *
 * Lost password, lost key, lost log.
 *
 * @throws TypeError or RangeError for an unusable password or cost
 */
export async function createPasswordVault(
  password: string | Uint8Array,
  options: PasswordVaultOptions = {},
): Promise<string> {
  const key = crypto.getRandomValues(new Uint8Array(keyBytes));
  try {
    return await lock(key, password, options.cost);
  } finally {
    key.fill(0);
  }
}

/**
 * The key in a vault, to be used as the primary of a `keyRing` or the key of a `localWrapper`.
 *
 * @throws CheckpointError `WRONG_KEY` for a wrong password, `AUTH_FAILED` for a vault that was
 * changed, `UNSUPPORTED_FORMAT` for text that is no vault, `LIMIT_EXCEEDED` for a cost outside the
 * bounds
 */
export async function openPasswordVault(options: PasswordOptions): Promise<SecretKey> {
  const key = await unlock(options);
  try {
    return await secretKey(key);
  } finally {
    key.fill(0);
  }
}

/**
 * The same key behind another password; no log changes. The old text still opens with the old
 * password, so overwrite it. Against somebody who had both, only another key helps (`rekey`).
 *
 * @returns the new vault
 * @throws as `openPasswordVault`
 */
export async function changePassword(options: ChangePasswordOptions): Promise<string> {
  // Refused before the old password is tried, which takes a while.
  passwordBytes(options.newPassword).fill(0);
  spellCost(options.cost);
  const key = await unlock(options);
  try {
    return await lock(key, options.newPassword, options.cost);
  } finally {
    key.fill(0);
  }
}

async function lock(
  key: Uint8Array,
  password: string | Uint8Array,
  cost: PasswordCost | undefined,
): Promise<string> {
  const spelled = spellCost(cost);
  const salt = crypto.getRandomValues(new Uint8Array(passwordSaltBytes));
  const clear = `$ckpt-${spelled.name}$v=1$${spelled.text}$${toBase64(salt)}`;
  const under = await stretch(password, salt, spelled);
  return `${clear}$${toBase64(await sealKey(under, bindingOf(clear), key))}`;
}

async function unlock({ vault, password }: PasswordOptions): Promise<Uint8Array> {
  if (typeof vault !== "string") throw new TypeError("vault: wanted a string");
  const [, clear = "", name, cost = "", saltText = "", sealedText = ""] =
    pattern.exec(vault.trim()) ?? [];
  const salt = fromBase64(saltText, passwordSaltBytes);
  const sealed = fromBase64(sealedText, sealedKeyBytes);
  if (salt === null || sealed === null) {
    throw refuse("UNSUPPORTED_FORMAT", "wanted a vault of version 1, met something else");
  }
  const spelled = { name: name as SpelledCost["name"], text: cost };
  const under = await stretch(password, salt, spelled);
  const key = await openKey(under, bindingOf(clear), sealed);
  if (key === "wrong-key") throw refuse("WRONG_KEY", "the password is wrong");
  if (key === "changed") throw refuse("AUTH_FAILED", "the vault was changed");
  return key;
}

async function stretch(
  password: string | Uint8Array,
  salt: Uint8Array,
  cost: SpelledCost,
): Promise<SecretKey> {
  const bytes = passwordBytes(password);
  const stretched = await stretchPassword(bytes, salt, cost).finally(() => bytes.fill(0));
  const key = await secretKey(stretched);
  stretched.fill(0);
  return key;
}

/** Everything in front of the sealed key is authenticated with it. */
function bindingOf(clear: string): SealedKeyBinding {
  return { label, aad: utf8(clear) };
}

function refuse(
  code: "UNSUPPORTED_FORMAT" | "WRONG_KEY" | "AUTH_FAILED",
  detail: string,
): CheckpointError {
  return new CheckpointError(code, `Cannot open the password vault: ${detail}`);
}

/** Without padding, as PHC strings have it. */
function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}

/** @returns null for anything but the one spelling of that many bytes */
function fromBase64(text: string, length: number): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*$/.test(text) || text.length % 4 === 1) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytes.length === length && toBase64(bytes) === text ? bytes : null;
}
