/** Nonces that are remembered; a broken or constant random source repeats far sooner. */
const remembered = 4_096;

/**
 * Notices a random source that repeats itself.
 *
 * @returns a function that says whether a nonce is new
 */
export function createNonceGuard(): (nonce: Uint8Array) => boolean {
  const seen = new Set<string>();
  const order: string[] = [];
  let next = 0;
  return (nonce) => {
    let text = "";
    for (const byte of nonce) text += String.fromCharCode(byte);
    if (seen.has(text)) return false;
    const oldest = order[next];
    if (oldest !== undefined) seen.delete(oldest);
    order[next] = text;
    next = (next + 1) % remembered;
    seen.add(text);
    return true;
  };
}
