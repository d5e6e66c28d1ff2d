import { CheckpointError } from "../src/index.ts";
import { keyMisuse } from "./key-failure.ts";
import type { KeySource } from "./key-source.ts";
import { secretKey, type KeyInput, type SecretKey } from "./secret-key.ts";
import { whenReady } from "./when-ready.ts";

/** Options of {@link keyRing}. */
export interface KeyRingOptions {
  /** Seals new records and opens its own. */
  readonly primary: KeyInput;
  /** Open what they sealed; seal nothing. */
  readonly decryptOnly?: readonly KeyInput[] | undefined;
  /** Known and refused, with `KEY_DISABLED` instead of `KEY_UNKNOWN`. */
  readonly disabled?: readonly KeyInput[] | undefined;
}

type State = "primary" | "decryptOnly" | "disabled";

/**
 * A fixed set of keys. To rotate: add the new key as `decryptOnly` everywhere, then make it
 * `primary` everywhere, then `rekey` the sessions, then disable the old one. Skipping the first step
 * leaves half of your processes unable to read what the other half writes.
 *
 * @throws TypeError for bad keys and for a key that stands twice; where only Web
 * Crypto can tell, the first append or `current()` rejects with it
 */
export function keyRing(options: KeyRingOptions): KeySource {
  const { primary, decryptOnly = [], disabled = [] } = options;
  const inputs = [primary, ...decryptOnly, ...disabled];
  // At once where it can be told: the id of a Web Crypto key takes a promise.
  if (new Set(inputs).size !== inputs.length) throw standsTwice();
  const given = [
    { input: primary, state: "primary" as State },
    ...decryptOnly.map((input) => ({ input, state: "decryptOnly" as State })),
    ...disabled.map((input) => ({ input, state: "disabled" as State })),
  ].map(({ input, state }) => ({ state, key: secretKey(input) }));
  const pending = given.some(({ key }) => key instanceof Promise);
  const ring = pending
    ? Promise.all(given.map(async ({ key, state }) => ({ state, key: await key }))).then(build)
    : build(given as Entry[]);
  // A failure is reported by whoever uses the ring, not as an unhandled rejection.
  if (ring instanceof Promise) ring.catch(() => undefined);
  return {
    current: () => whenReady(ring, currentOf),
    find: (_sessionId, keyId) => whenReady(ring, (keys) => find(keys, keyId)),
  };
}

interface Entry {
  readonly state: State;
  readonly key: SecretKey;
}

function build(entries: readonly Entry[]): Map<string, Entry> {
  const ring = new Map(entries.map((entry) => [entry.key.id, entry]));
  if (ring.size !== entries.length) throw standsTwice();
  return ring;
}

function standsTwice(): TypeError {
  return keyMisuse("keyRing: the same key stands twice");
}

function currentOf(ring: ReadonlyMap<string, Entry>): SecretKey {
  for (const { state, key } of ring.values()) if (state === "primary") return key;
  throw new TypeError("keyRing: wanted a primary key, met none");
}

function find(ring: ReadonlyMap<string, Entry>, keyId: string): SecretKey {
  const entry = ring.get(keyId);
  if (entry === undefined) {
    throw new CheckpointError("KEY_UNKNOWN", `Key ${keyId} is not in the ring`);
  }
  if (entry.state === "disabled") {
    throw new CheckpointError("KEY_DISABLED", `Key ${keyId} is disabled`);
  }
  return entry.key;
}
