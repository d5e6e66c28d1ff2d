import type { Anchor, Codec, CodecContext, StoredRecord } from "../../src/index.ts";
import type { AesGcmOptions, KeySource, SealOptions } from "../../codecs/index.ts";
import { aesGcm, compress, keyRing, pipeline, xchacha } from "../../codecs/index.ts";
import { bytesOf, firstKey, pseudoRandom, secondKey } from "./fixtures.ts";
import type { Handle, TamperedStore } from "./tampered-store.ts";

/** A way to seal, for the reader under attack and for what an attacker got hold of. */
export interface Sealing {
  readonly name: string;
  create(options?: Partial<AesGcmOptions>): Codec;
}

/** A key that the reader does not know, and one that it knows and refuses. */
export const unknownKey: Uint8Array = pseudoRandom(101, 32);
export const disabledKey: Uint8Array = pseudoRandom(102, 32);

const keys: KeySource = keyRing({
  primary: firstKey,
  decryptOnly: [secondKey],
  disabled: [disabledKey],
});
const sealed = (options: Partial<AesGcmOptions>): SealOptions => ({ keys, ...options });

/** The three ways to seal that are attacked; each also is a foreign one to the others. */
export const sealings: readonly Sealing[] = [
  { name: "aes-gcm", create: (options = {}) => aesGcm(sealed(options)) },
  {
    name: "compress+aes-gcm",
    create: (options = {}) => pipeline(compress(), aesGcm(sealed(options))),
  },
  { name: "xchacha", create: (options = {}) => xchacha(sealed(options)) },
];

/** The session under attack, and another one under the same key. */
export const victim = "victim";
const neighbour = "neighbour";

/**
 * A log with a past. A1 to A4 were appended; the log was cut to two, got B3 and B4, was cut to
 * three and got C4.
 */
export interface Scene {
  readonly sealing: Sealing;
  readonly handle: Handle;
  /** A1 A2 B3 C4 */
  readonly log: readonly StoredRecord[];
  /** A1 A2 A3 A4, a branch that was cut off. */
  readonly oldBranch: readonly StoredRecord[];
  /** A1 A2 B3 B4, with a last record that was cut off. */
  readonly oldTail: readonly StoredRecord[];
  /** Records of another session, sealed by the same codec. */
  readonly neighbour: readonly StoredRecord[];
  /** Records of the log as another instance sealed them, under another salt. */
  readonly otherSalt: readonly StoredRecord[];
  /** The events of every state that the log ever was in, as JSON. */
  readonly states: readonly (readonly string[])[];
  /** Seals the text of a record of the log at its place with another codec. */
  sealAgain(seq: number, codec: Codec): Promise<Uint8Array>;
}

/** Lets a log have its past in a store. */
export async function createScene(
  store: TamperedStore,
  sealing: Sealing,
  anchor?: Anchor,
): Promise<Scene> {
  const codec = sealing.create();
  const handle = store.open(codec, anchor);
  const append = (names: readonly string[]): Promise<number> =>
    handle.append(
      victim,
      names.map((name) => ({ name })),
    );
  await append(["A1", "A2", "A3", "A4"]);
  const oldBranch = store.records(victim);
  await handle.truncate(victim, 2);
  await append(["B3", "B4"]);
  const oldTail = store.records(victim);
  await handle.truncate(victim, 3);
  await append(["C4"]);
  const log = store.records(victim);
  await handle.append(neighbour, [{ name: "N1" }, { name: "N2" }, { name: "N3" }, { name: "N4" }]);
  const states = [
    ["A1", "A2", "A3", "A4"],
    ["A1", "A2", "B3", "B4"],
    ["A1", "A2", "B3", "C4"],
  ];
  const texts = states[2]!.map((name) => JSON.stringify({ name }));
  const placeOf = (seq: number): CodecContext => {
    const previous = log[seq - 2]?.payload;
    return {
      sessionId: victim,
      seq,
      ts: log[seq - 1]!.ts,
      previous: previous instanceof Uint8Array ? previous : null,
    };
  };
  const sealAgain = async (seq: number, other: Codec): Promise<Uint8Array> =>
    other.encode(bytesOf(texts[seq - 1]!), placeOf(seq));
  const otherSalt = await Promise.all(
    log.map(async (record) => ({
      ...record,
      payload: await sealAgain(record.seq, sealing.create()),
    })),
  );
  return {
    sealing,
    handle,
    log,
    oldBranch,
    oldTail,
    neighbour: store.records(neighbour),
    otherSalt,
    states: states.map((names) => names.map((name) => JSON.stringify({ name }))),
    sealAgain,
  };
}

/** The bytes of a sealed record. */
export function payloadOf(record: StoredRecord): Uint8Array {
  if (typeof record.payload === "string") throw new Error("the record is not sealed");
  return record.payload;
}
