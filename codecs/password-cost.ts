import type nodeCrypto from "node:crypto";
import { argon2idAsync } from "@noble/hashes/argon2.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { CheckpointError } from "../src/index.ts";
import { builtinModule } from "./aead.ts";
import { keyBytes } from "./secret-key.ts";

/** How much work it is to try one password. */
export type PasswordCost = ScryptCost | Argon2idCost;

/**
 * scrypt (RFC 7914) with block size 8. Defaults and lower bounds are what OWASP's Password Storage
 * Cheat Sheet asks for; upper bounds keep a forged vault from taking all memory.
 */
export interface ScryptCost {
  readonly name: "scrypt";
  /** log2 of N; memory is 2^logN KiB. 17 to 20. Default 17: 128 MiB and about 0.3 seconds. */
  readonly logN?: number | undefined;
  /** Rounds one after the other. 1 to 4. Default 1. */
  readonly p?: number | undefined;
}

/** Argon2id (RFC 9106), in JavaScript everywhere. Defaults and bounds as for {@link ScryptCost}. */
export interface Argon2idCost {
  readonly name: "argon2id";
  /** 19,456 to 262,144. Default 19,456. */
  readonly memoryKib?: number | undefined;
  /** 2 to 8. Default 2. */
  readonly passes?: number | undefined;
  /** 1 to 4. Default 1. */
  readonly lanes?: number | undefined;
}

/** A cost with every default filled in, as a vault spells it: `ln=17,r=8,p=1`. */
export interface SpelledCost {
  readonly name: PasswordCost["name"];
  readonly text: string;
}

/** Bytes of a password's salt. */
export const passwordSaltBytes = 16;

/** scrypt's block size; what else it could be gains nothing. */
const blockSize = 8;

interface Bound {
  readonly letter: string;
  readonly least: number;
  readonly most: number;
}

const bounds: Readonly<Record<PasswordCost["name"], readonly Bound[]>> = {
  scrypt: [
    { letter: "ln", least: 17, most: 20 },
    { letter: "r", least: blockSize, most: blockSize },
    { letter: "p", least: 1, most: 4 },
  ],
  argon2id: [
    { letter: "m", least: 19_456, most: 262_144 },
    { letter: "t", least: 2, most: 8 },
    { letter: "p", least: 1, most: 4 },
  ],
};

/**
 * Spells a cost out.
 *
 * @throws RangeError outside the bounds
 */
export function spellCost(cost: PasswordCost = { name: "scrypt" }): SpelledCost {
  const values =
    cost.name === "scrypt"
      ? [cost.logN ?? 17, blockSize, cost.p ?? 1]
      : [cost.memoryKib ?? 19_456, cost.passes ?? 2, cost.lanes ?? 1];
  const limits = bounds[cost.name] as readonly Bound[] | undefined;
  if (limits === undefined) throw new RangeError('cost: wanted "scrypt" or "argon2id"');
  const text = limits.map(({ letter }, index) => `${letter}=${values[index]}`).join(",");
  const spelled = { name: cost.name, text };
  if (parseCost(spelled) !== null) return spelled;
  throw new RangeError(`cost: wanted ${wantedFor(cost.name)}`);
}

/**
 * A key from a password. Text counts as {@link passwordBytes} says.
 *
 * @throws CheckpointError `LIMIT_EXCEEDED` for a cost outside the bounds: nobody is talked into
 * less work than OWASP asks for, nor into more than the process can do
 */
export async function stretchPassword(
  password: Uint8Array,
  salt: Uint8Array,
  cost: SpelledCost,
): Promise<Uint8Array> {
  const values = parseCost(cost);
  if (values === null) {
    const detail = `wanted ${wantedFor(cost.name)}`;
    throw new CheckpointError("LIMIT_EXCEEDED", `Cannot open the password vault: ${detail}`);
  }
  const [first = 0, second = 0, p = 0] = values;
  if (cost.name === "scrypt") return scrypt(password, salt, 2 ** first, second, p);
  return argon2idAsync(password, salt, { m: first, t: second, p, dkLen: keyBytes });
}

/**
 * The bytes of a password. Text is prepared as RFC 8265 (OpaqueString) says, so that it is the same
 * whatever keyboard it comes from: every space becomes U+0020, then Unicode NFC. Case counts, and
 * spaces at the ends do. Bytes are taken as they are.
 *
 * @returns a fresh array
 * @throws TypeError for what cannot be a password; the message says nothing about it
 */
export function passwordBytes(password: string | Uint8Array): Uint8Array {
  const bytes = typeof password === "string" ? prepareText(password) : new Uint8Array(password);
  if (bytes.length >= 1 && bytes.length <= passwordMaxBytes) return bytes;
  throw new TypeError(`password: wanted 1 to ${passwordMaxBytes} bytes`);
}

const passwordMaxBytes = 4_096;

function prepareText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError("password: wanted well-formed text");
  // The newline at the end of a file is the likely one, and a password must not depend on it.
  if (/\p{Cc}/u.test(text)) {
    throw new TypeError("password: wanted no control characters, is there a newline at its end?");
  }
  return new TextEncoder().encode(text.replace(/\p{Zs}/gu, " ").normalize("NFC"));
}

/** @returns null outside the bounds, or in any other spelling than the shortest */
function parseCost({ name, text }: SpelledCost): number[] | null {
  const parts = text.split(",");
  const limits = bounds[name];
  if (parts.length !== limits.length) return null;
  const values: number[] = [];
  for (const [index, { letter, least, most }] of limits.entries()) {
    const match = /^([a-z]+)=([1-9][0-9]{0,8})$/.exec(parts[index] ?? "");
    const value = Number(match?.[2]);
    if (match?.[1] !== letter || !(value >= least && value <= most)) return null;
    values.push(value);
  }
  return values;
}

function wantedFor(name: PasswordCost["name"]): string {
  const ranges = bounds[name].map(({ letter, least, most }) =>
    least === most ? `${letter}=${least}` : `${letter}=${least} to ${most}`,
  );
  return `${name} with ${ranges.join(", ")}`;
}

type NodeCrypto = Pick<typeof nodeCrypto, "scrypt">;

async function scrypt(
  password: Uint8Array,
  salt: Uint8Array,
  N: number,
  r: number,
  p: number,
): Promise<Uint8Array> {
  // Node.js refuses anything above 32 MiB unless told otherwise.
  const maxmem = 128 * r * (N + p + 2) + 1024 * 1024;
  const node = builtinModule("node:crypto") as NodeCrypto | undefined;
  if (typeof node?.scrypt !== "function") {
    return scryptAsync(password, salt, { N, r, p, maxmem, dkLen: keyBytes });
  }
  return new Promise((resolve, reject) => {
    node.scrypt(password, salt, keyBytes, { N, r, p, maxmem }, (error, key) => {
      // The error is about memory; the message of any other one would be the platform's.
      if (error === null) resolve(new Uint8Array(key));
      else
        reject(
          new CheckpointError("KEY_UNAVAILABLE", "Cannot stretch the password: scrypt failed"),
        );
    });
  });
}
