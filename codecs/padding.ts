import { decodeVarint, encodeVarint } from "./varint.ts";

/**
 * Pads to a length that tells at most O(log log n) bits about the real one, at a cost of at most 12 %
 * (Padmé: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with
 * PURBs", 2019, section 4). The real length stands in front and the padding is zeros.
 */
export function pad(bytes: Uint8Array): Uint8Array {
  const length = encodeVarint(bytes.length);
  const padded = new Uint8Array(padmeLength(length.length + bytes.length));
  padded.set(length);
  padded.set(bytes, length.length);
  return padded;
}

/** Takes the padding off; null unless it is exactly what `pad` would have added. */
export function unpad(padded: Uint8Array): Uint8Array | null {
  const length = decodeVarint(padded, 0);
  if (length === null) return null;
  const end = length.end + length.value;
  if (end > padded.length || padmeLength(end) !== padded.length) return null;
  for (let index = end; index < padded.length; index += 1) if (padded[index] !== 0) return null;
  return padded.subarray(length.end, end);
}

function padmeLength(length: number): number {
  if (length < 2) return length;
  const exponent = Math.floor(Math.log2(length));
  const bits = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** Math.max(0, exponent - bits);
  return Math.ceil(length / step) * step;
}
