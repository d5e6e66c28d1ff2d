/** Bytes drawn from the system at once: drawing twelve costs more than encrypting a record. */
const poolBytes = 4_096;

/** A pool that was not used for this long is thrown away. */
const poolMaxAgeMs = 1_000;

/** Random bytes for nonces and salts. */
export interface RandomSource {
  /** One to 64 fresh bytes that nobody else gets. */
  bytes(length: number): Uint8Array;
  /** Draws afresh next time; done with every new salt, so that a cloned machine shares neither. */
  refresh(): void;
}

/**
 * The platform's random source (Web Crypto `getRandomValues`), pooled.
 *
 * @param fill - fills an array with random bytes; another one only in tests
 */
export function createRandomSource(
  fill: (bytes: Uint8Array<ArrayBuffer>) => void = (bytes) => void crypto.getRandomValues(bytes),
): RandomSource {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  let lastUse = 0;
  return {
    bytes(length) {
      const time = Date.now();
      if (used + length > poolBytes || time - lastUse > poolMaxAgeMs) {
        fill(pool);
        used = 0;
      }
      lastUse = time;
      const taken = pool.slice(used, used + length);
      // Nothing that was handed out stays behind.
      pool.fill(0, used, used + length);
      used += length;
      return taken;
    },
    refresh() {
      used = poolBytes;
    },
  };
}
