/** One of some byte strings with one to four changes, all drawn from `next`. */
export function mutate(valid: readonly Uint8Array[], next: () => number): Uint8Array<ArrayBuffer> {
  const below = (limit: number): number => Math.floor(next() * limit);
  const any = (): Uint8Array => valid[below(valid.length)]!;
  let bytes: Uint8Array<ArrayBuffer> = Uint8Array.from(any());
  for (let change = below(4); change >= 0; change -= 1) {
    // Half of the changes are near the front, where lengths and flags stand.
    const at = next() < 0.5 ? below(Math.min(16, bytes.length + 1)) : below(bytes.length + 1);
    const other = any();
    const from = below(other.length + 1);
    const piece = other.subarray(from, from + below(20));
    const kinds: ReadonlyArray<() => Uint8Array<ArrayBuffer>> = [
      () => withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << below(8))),
      () => withByte(bytes, at, below(256)),
      () => withByte(bytes, at, [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x5c][below(7)]!),
      () => bytes.slice(0, at),
      () => bytes.slice(at),
      () => Uint8Array.of(...bytes.subarray(0, at), ...piece, ...bytes.subarray(at)),
      () => Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + below(20))),
      () => Uint8Array.of(...bytes.subarray(0, at), ...other.subarray(at)),
      () => Uint8Array.of(...bytes, ...bytes.subarray(at)),
    ];
    bytes = kinds[below(kinds.length)]!();
  }
  return bytes;
}

function withByte(bytes: Uint8Array, position: number, value: number): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  if (position < copy.length) copy[position] = value;
  return copy;
}
