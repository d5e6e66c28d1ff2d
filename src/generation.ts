/**
 * A fresh generation: 16 random bytes as 32 hexadecimal digits, so that two histories of one
 * session id never share one by chance.
 */
export function newGeneration(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
