import type { Codec } from "../../src/index.ts";

/** A codec under test, and what the suite needs to attack it. Give it keys made for this alone. */
export interface CodecFixture {
  /** What reports call the codec, for example `aes-gcm`. */
  readonly name: string;
  /** What it promises; a codec that promises less is asked for less. */
  readonly promises: CodecPromises;
  /**
   * The codec under test. Called many times, as many processes would: each result is an object of its
   * own and reads what the others wrote.
   */
  createCodec(): Codec | Promise<Codec>;
  /** The same codec under a key that `createCodec`'s does not know. Needed where it authenticates. */
  createForeign?(): Codec | Promise<Codec>;
  /**
   * Bytes that no error may show: the keys that `createCodec` seals with. Needed where it
   * authenticates; empty when the keys cannot be had.
   */
  readonly secrets?: readonly Uint8Array[];
  /**
   * As `encode`, without a limit of size: what an attacker makes decompression bombs with. Needed with
   * `maxDecodedBytes`.
   */
  encodeUnlimited?: Codec["encode"];
}

/** What a codec promises beyond the exact round trip, which every codec owes. */
export interface CodecPromises {
  /** decode tells that a record was changed or moved; what `kind: "aead"` says. */
  readonly authenticates: boolean;
  /** A record is bound to the one before it. Default: as `authenticates`. */
  readonly chains?: boolean | undefined;
  /** Records show nothing of their plaintext but its length. Default: as `authenticates`. */
  readonly encrypts?: boolean | undefined;
  /** Most bytes a record decodes to. A codec that compresses has to have such a limit. */
  readonly maxDecodedBytes?: number | undefined;
}

/** Checks what an untyped module gave, before the suite trips over it. */
export function requireCodecFixture(value: CodecFixture): void {
  const { name, promises, createCodec } = Object(value) as Partial<CodecFixture>;
  if (typeof name !== "string") throw new TypeError("fixture: name is no string");
  if (typeof promises?.authenticates !== "boolean") {
    throw new TypeError("fixture: promises.authenticates is no boolean");
  }
  if (typeof createCodec !== "function") {
    throw new TypeError("fixture: createCodec is no function");
  }
}
