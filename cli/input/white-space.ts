/** Whether a byte is white space to JSON. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Whether there is nothing in these bytes but JSON's white space. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(isSpace);
}
