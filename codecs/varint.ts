/** A number from 0 to 2^28-1 in one to four bytes, seven bits each, low ones first (LEB128). */
export function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    rest >>>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

/**
 * Reads what `encodeVarint` wrote.
 *
 * @returns null when it is cut, longer than four bytes, or not the shortest spelling
 */
export function decodeVarint(
  bytes: Uint8Array,
  start: number,
): { value: number; end: number } | null {
  let value = 0;
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[start + index];
    if (byte === undefined) return null;
    value |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) {
      const shortest = index === 0 || byte > 0;
      return shortest ? { value, end: start + index + 1 } : null;
    }
  }
  return null;
}
