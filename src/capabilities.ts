/**
 * What a backend can do, and how far its promises reach. Frozen and JSON-serialisable. The
 * conformance suite checks both directions: claimed but broken fails, present but unclaimed is
 * reported.
 */
export interface StoreCapabilities {
  /** The widest set of writers that is safe: one object, one process, one machine, many machines. */
  readonly concurrency: "instance" | "process" | "host" | "network";
  /** What an acknowledged append survives: nothing, the death of the process, a power cut. */
  readonly durability: "none" | "process" | "power";
  /** Whether a running read keeps its first view, or may also see later appends. */
  readonly readIsolation: "snapshot" | "prefix";
  /** Whose clock sets `ts` and `mtime`. */
  readonly clock: "local" | "server";
  /** The store's own limits; each is at most the kit's. */
  readonly limits: StoreLimits;
  /** `commit()` honours `keep`. */
  readonly truncate: boolean;
  /** Batch keys are stored in the same atomic step as their records. */
  readonly idempotency: boolean;
  /** Every history has a generation of its own. Default true. */
  readonly headToken?: boolean;
}

/** Upper bounds a store declares. */
export interface StoreLimits {
  /** UTF-8 bytes of one event's JSON text. */
  readonly maxEventBytes: number;
  /** Events in one append. */
  readonly maxBatchEvents: number;
  /** UTF-8 bytes of a session id; 512 on every adapter of the kit. */
  readonly maxSessionIdBytes: number;
}

/** {@link StoreCapabilities} plus what the engine adds; see `Checkpointer.capabilities`. */
export interface Capabilities extends StoreCapabilities {
  /** Version of this manifest's shape. */
  readonly kit: 1;
  /** `read()` honours `untilSeq`, `limit` and `reverse`. */
  readonly range: boolean;
  /** `headToken()` and token expectations work, so a replaced history is noticed. */
  readonly headToken: boolean;
  /** `list()` honours `limit`, `cursor` and `prefix`. */
  readonly listPage: boolean;
  /** How `tail()` learns of new events. */
  readonly tail: "poll" | "push";
  readonly fork: boolean;
  readonly verify: boolean;
  readonly repair: boolean;
}
