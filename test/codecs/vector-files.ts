import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../shared/data/vectors/", import.meta.url));

/** A vector of Wycheproof's AEAD files; bytes are hexadecimal. */
export interface AeadVector {
  readonly tcId: number;
  readonly comment: string;
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly msg: string;
  readonly ct: string;
  readonly tag: string;
  readonly result: "valid" | "invalid";
}

/** A vector of Wycheproof's HKDF file; bytes are hexadecimal. */
export interface HkdfVector {
  readonly tcId: number;
  readonly comment: string;
  readonly ikm: string;
  readonly salt: string;
  readonly info: string;
  readonly size: number;
  readonly okm: string;
  readonly result: "valid" | "invalid";
}

/** Vectors of one kind of key, as Wycheproof groups them; sizes are in bits. */
export interface VectorGroup<V> {
  readonly keySize: number;
  readonly ivSize?: number;
  readonly tagSize?: number;
  readonly tests: readonly V[];
}

/** A vector of XAES-256-GCM with the key and the nonce that its last step uses. */
export interface XaesVector {
  readonly derivedKey: string;
  readonly derivedNonce: string;
  readonly msg: string;
  readonly aad: string;
  readonly ct: string;
}

/** A Wycheproof file of the shared vectors; null, and a line that says so, where there is none. */
export function vectorGroups<V>(name: string): readonly VectorGroup<V>[] | null {
  return (load(name) as { testGroups: VectorGroup<V>[] } | null)?.testGroups ?? null;
}

/** The XAES-256-GCM vectors; null, and a line that says so, where there are none. */
export function xaesVectors(): readonly XaesVector[] | null {
  return (load("xaes_256_gcm_c2sp.json") as { vectors: XaesVector[] } | null)?.vectors ?? null;
}

function load(name: string): unknown {
  if (existsSync(folder + name)) return JSON.parse(readFileSync(folder + name, "utf8")) as unknown;
  console.log(`skipped: ../shared/data/vectors/${name} is absent`);
  return null;
}
