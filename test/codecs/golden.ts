import { fflateDeflate, type Deflate } from "../../codecs/deflate.ts";
import { aesGcm, compress, keyRing, pipeline, xchacha } from "../../codecs/index.ts";
import type { AesGcmOptions, RandomSource } from "../../codecs/index.ts";
import type { Codec, CodecContext } from "../../src/index.ts";

/**
 * A file of conformance/vectors: records of one session, sealed in order with the given random bytes.
 * Its bytes are what docs/format.md means, and never change. Runs on every platform.
 */
export interface Golden {
  readonly about: string;
  /** Ids of the stages. */
  readonly pipeline: readonly ("compress" | "aes-gcm" | "xchacha")[];
  readonly options: {
    readonly dictionary?: "agent-events-v1" | "none";
    readonly chain?: boolean;
    readonly pad?: "padme" | "none";
    readonly namespace?: string;
  };
  /** Hexadecimal. */
  readonly key: string;
  readonly sessionId: string;
  /** What the random source hands out, in order: a salt, then a nonce for each record. */
  readonly random: readonly string[];
  readonly records: ReadonlyArray<{
    readonly ts: string;
    /** The record's content is this text, so many times. */
    readonly text: string;
    readonly times?: number;
    /** Hexadecimal. */
    readonly stored: string;
  }>;
}

/** What a platform can do a thing with. */
export interface Implementations {
  readonly backends: ReadonlyArray<NonNullable<AesGcmOptions["backend"]>>;
  readonly deflates: readonly Deflate[];
}

/** Encodes and decodes a golden file with every implementation; returns what went wrong. */
export async function checkGolden(
  golden: Golden,
  { backends, deflates }: Implementations,
): Promise<{ checks: number; faults: string[] }> {
  const faults: string[] = [];
  let checks = 0;
  const note = (right: boolean, what: string): void => {
    checks += 1;
    if (!right) faults.push(`${golden.about} ${what}`);
  };
  const usesAes = golden.pipeline.includes("aes-gcm");
  for (const backend of usesAes ? backends : [undefined]) {
    // What deflate makes of bytes is its own affair; fflate is the same program everywhere.
    const writer = goldenCodec(golden, backend, fflateDeflate, scripted(golden.random));
    for (const { seq, content, context, stored } of recordsOf(golden)) {
      const encoded = await outcomeOf(() => writer.encode(content, context));
      note(encoded === toHex(stored), `seq ${seq}: ${backend} seals other bytes`);
    }
    for (const deflate of golden.pipeline.includes("compress") ? deflates : [fflateDeflate]) {
      const reader = goldenCodec(golden, backend, deflate);
      for (const { seq, content, context, stored } of recordsOf(golden)) {
        const decoded = await outcomeOf(() => reader.decode(stored, context));
        const met = decoded.endsWith("Error") ? decoded : "other bytes";
        note(decoded === toHex(content), `seq ${seq}: ${backend} and ${deflate.id} give ${met}`);
      }
    }
  }
  return { checks, faults };
}

/** The codec of a golden file. */
export function goldenCodec(
  { pipeline: stages, options, key }: Golden,
  backend: AesGcmOptions["backend"],
  deflate: Deflate,
  random?: RandomSource,
): Codec {
  const { dictionary, chain, pad, namespace } = options;
  const seal = { keys: keyRing({ primary: fromHex(key) }), chain, pad, namespace, random };
  const create = {
    compress: () => compress({ dictionary, deflate }),
    "aes-gcm": () => aesGcm({ ...seal, backend }),
    xchacha: () => xchacha(seal),
  };
  return pipeline(...stages.map((stage) => create[stage]()));
}

interface GoldenRecord {
  readonly seq: number;
  readonly content: Uint8Array;
  readonly context: CodecContext;
  readonly stored: Uint8Array;
}

function recordsOf({ sessionId, records }: Golden): GoldenRecord[] {
  let previous: Uint8Array | null = null;
  return records.map(({ ts, text, times = 1, stored }, index) => {
    const seq = index + 1;
    const bytes = fromHex(stored);
    const context = { sessionId, seq, ts, previous };
    previous = bytes;
    return { seq, content: new TextEncoder().encode(text.repeat(times)), context, stored: bytes };
  });
}

/** Bytes in hexadecimal, or the name of the error. */
async function outcomeOf(work: () => Uint8Array | Promise<Uint8Array>): Promise<string> {
  try {
    return toHex(await work());
  } catch (error) {
    return error instanceof Error ? error.name : "Error";
  }
}

function scripted(random: readonly string[]): RandomSource {
  let next = 0;
  return {
    bytes(length) {
      const bytes = fromHex(random[next] ?? "");
      next += 1;
      if (bytes.length !== length) throw new Error("the golden file has other random bytes here");
      return bytes;
    },
    refresh: () => undefined,
  };
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
