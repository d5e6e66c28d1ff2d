/** UTF-8, for strings that are known to be well-formed. */
const encoder = new TextEncoder();

/** Bytes of a string. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** An array of its own takes V8 a microsecond, as its memory lies outside the heap. */
const slabBytes = 8 * 1024;
const largestCut = slabBytes / 4;
let slab = new Uint8Array(0);
let cut = 0;

/**
 * A new array of zeros, cut from a larger one if it is small. For what may be seen, such as headers
 * and ciphertext: whoever gets one can reach its neighbours.
 */
export function allocate(length: number): Uint8Array<ArrayBuffer> {
  if (length > largestCut) return new Uint8Array(length);
  if (cut + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    cut = 0;
  }
  cut += length;
  return slab.subarray(cut - length, cut);
}

/** All parts in one new array. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/**
 * Parts with their lengths in front (four bytes, big-endian), so that no two lists of parts have the
 * same bytes.
 */
export function lengthPrefixed(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(whole.buffer);
  let offset = 0;
  for (const part of parts) {
    view.setUint32(offset, part.length);
    whole.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return whole;
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** Whether two arrays are equal, in time that depends on their length alone. */
export function equalInConstantTime(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index += 1) {
    difference |= (left[index] ?? 0) ^ (right[index] ?? 0);
  }
  return difference === 0;
}
