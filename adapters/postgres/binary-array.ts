/** The server's numbers for the types of elements. */
const oids = { int4: 23, int8: 20, text: 25, bytea: 17 };

const headerBytes = 20;
const nullLength = -1;

/**
 * An array in the server's binary form. Its text form would escape every quote of JSON, and write
 * every byte of what is sealed as two digits.
 *
 * @see https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/adt/arrayfuncs.c
 */
export function binaryArray(
  type: keyof typeof oids,
  items: ReadonlyArray<string | number | Uint8Array | null>,
): Buffer {
  const lengths = items.map((item) => byteLength(type, item));
  const total = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerBytes);
  const array = Buffer.allocUnsafe(total);
  const hasNulls = lengths.includes(nullLength);
  let at = 0;
  // Dimensions, whether there are nulls, the type, the length, the index of the first element.
  for (const word of [1, hasNulls ? 1 : 0, oids[type], items.length, 1]) {
    at = array.writeInt32BE(word, at);
  }
  for (const [index, item] of items.entries()) {
    const length = lengths[index] ?? nullLength;
    at = array.writeInt32BE(length, at);
    if (item === null) continue;
    if (typeof item === "string") array.write(item, at, length, "utf8");
    else if (typeof item !== "number") array.set(item, at);
    else if (type === "int4") array.writeInt32BE(item, at);
    else array.writeBigInt64BE(BigInt(item), at);
    at += length;
  }
  return array;
}

function byteLength(type: keyof typeof oids, item: string | number | Uint8Array | null): number {
  if (item === null) return nullLength;
  if (typeof item === "number") return type === "int4" ? 4 : 8;
  return typeof item === "string" ? Buffer.byteLength(item) : item.length;
}
