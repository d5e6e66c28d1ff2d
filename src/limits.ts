/** Every limit of the kit, with its reason. Adapters may declare smaller ones, never larger. */
export interface Limits {
  /**
   * UTF-8 bytes in a session id. Long enough for a URL or a path, short enough for every index
   * (a Postgres B-tree entry ends at 2,704 bytes) and for a readable error message.
   */
  readonly maxSessionIdBytes: number;
  /**
   * UTF-8 bytes in one event's JSON text. Real agent events stay under 2 MiB even with images in
   * them; the bound keeps "one record in memory" a promise for readers and decompressors.
   */
  readonly maxEventBytes: number;
  /** Events in one append. Bounds the memory of a reader, which holds a batch until it is whole. */
  readonly maxBatchEvents: number;
  /** Characters of JSON text in one append, for the same reason. */
  readonly maxBatchBytes: number;
  /** Nested levels in one event. SQLite's JSON functions stop at 1,000 (sqlite.org/json1.html). */
  readonly maxEventDepth: number;
  /** UTF-8 bytes in an idempotency key. A UUID, a hash or a short sentence fits. */
  readonly maxIdempotencyKeyBytes: number;
  /** Sessions in one page of `list()` when the caller names no limit: all of them. */
  readonly defaultListLimit: number;
  /**
   * Events that waiting appends are merged into. Past this a commit gains nothing from being
   * larger and the first waiter only waits longer.
   */
  readonly mergeMaxEvents: number;
  /** Characters of JSON text in merged appends, for the same reason. */
  readonly mergeMaxBytes: number;
  /** Sessions of which a handle remembers something, to save one `head()` per append. */
  readonly rememberedSessions: number;
  /**
   * Looks at a log that is another one each time before an append gives up with `BUSY`. Rivals that are
   * so fast are a store that contradicts itself, and nobody should wait for that.
   */
  readonly looksAtMovingLog: number;
  /** Milliseconds between polls of a follower; hints wake it earlier. */
  readonly tailPollMs: number;
}

/** The values of {@link Limits}. */
export const limits: Limits = Object.freeze({
  maxSessionIdBytes: 512,
  maxEventBytes: 16 * 1024 * 1024,
  maxBatchEvents: 100_000,
  maxBatchBytes: 256 * 1024 * 1024,
  maxEventDepth: 1_000,
  maxIdempotencyKeyBytes: 256,
  defaultListLimit: Number.MAX_SAFE_INTEGER,
  mergeMaxEvents: 4_096,
  mergeMaxBytes: 8 * 1024 * 1024,
  rememberedSessions: 1_024,
  looksAtMovingLog: 1_000,
  tailPollMs: 250,
});
