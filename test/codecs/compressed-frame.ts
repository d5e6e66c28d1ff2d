import { crc32, deflateRawSync } from "node:zlib";

/** The parts of a compressed frame, each of them free to be wrong. */
export interface FrameParts {
  readonly version?: number;
  readonly method?: number;
  readonly flags?: number;
  /** Id of a dictionary, in hexadecimal. */
  readonly dictionary?: string;
  /** How many bytes the frame says it decodes to, or the bytes to say it with. */
  readonly length: number | Uint8Array;
  readonly body: Uint8Array;
  /** Leave the checksum out, as behind a stage that authenticates. */
  readonly unchecked?: boolean;
}

/** A compressed frame as docs/format.md specifies it, with a checksum that is right. */
export function frameOf(parts: FrameParts): Uint8Array {
  const { version = 1, method = 1, dictionary = "", length, body, unchecked = false } = parts;
  const { flags = (dictionary === "" ? 0 : 1) | (unchecked ? 0 : 2) } = parts;
  const head = Buffer.concat([
    Uint8Array.of(version, method, flags),
    Buffer.from(dictionary, "hex"),
    typeof length === "number" ? varint(length) : length,
  ]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(Buffer.concat([head, body])));
  return Uint8Array.from(Buffer.concat(unchecked ? [head, body] : [head, checksum, body]));
}

/** Raw deflate data that inflates to about that many MiB of zeros, at the best ratio there is. */
export function deflatedZeros(mebibytes: number): Uint8Array {
  const block = deflateRawSync(new Uint8Array(2 ** 20), { level: 9 });
  // In the middle every byte is zero and stands for four matches of 258 bytes.
  const more = new Uint8Array(Math.round(((mebibytes - 1) * 2 ** 20) / 1_032));
  return Uint8Array.from(Buffer.concat([block.subarray(0, 500), more, block.subarray(500)]));
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
