import type { Anchor, Codec } from "../../src/index.ts";

/**
 * A pool of the package pg that somebody else made and ends. Its connections must not be inside a
 * transaction when they come back; one that is, is dropped.
 */
export interface PostgresPool {
  /** Gives a connection, with a `release` method. */
  connect(): Promise<object>;
}

/** How to reach a server; one of `connectionString` and `pool` has to be there. */
export interface PostgresServerOptions {
  /**
   * `postgres://user:password@host:port/database?sslmode=…`, as the package pg takes it. What is left
   * out comes from the `PG…` variables, as for every program that talks to PostgreSQL.
   *
   * @see https://node-postgres.com/features/connecting#connection-uri
   */
  readonly connectionString?: string | undefined;
  /**
   * `host` or `host:port` of a primary and its standbys, in the place of the host in
   * `connectionString`. The one that takes writes is found, and found again after a failover.
   */
  readonly hosts?: readonly string[] | undefined;
  /** A pool to take connections from, in the place of `connectionString`. `close()` leaves it open. */
  readonly pool?: PostgresPool | undefined;
  /** Connections at most, of an own pool. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Milliseconds to wait for another writer or for a free connection before a call fails with
   * `BUSY`. 1 to 2^31-1. Default 5000.
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Milliseconds that the database may be away, or silent in the middle of a call, before the call
   * fails: with `OUTCOME_UNKNOWN` where a change may have been made, else with `IO_FAILED`. 1 to
   * 2^31-1. Default 15000.
   */
  readonly outageTimeoutMs?: number | undefined;
}

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends PostgresServerOptions {
  /**
   * The schema that holds everything: 1 to 63 UTF-8 bytes. Made at the first write, or by `setup()`.
   * Default `"checkpointer"`.
   */
  readonly schema?: string | undefined;
  /**
   * Tell other processes about changes with NOTIFY, and LISTEN for theirs while somebody follows.
   * Default true. Without it followers look every 250 ms; choose that behind a pooler in transaction
   * mode, where whoever gets the connection next would hear what was meant for them.
   */
  readonly notify?: boolean | undefined;
}

/** Options of `postgresCheckpointer`. */
export interface PostgresCheckpointerOptions extends PostgresStoreOptions {
  /** Seals every record. Left out: records are plain JSON text. */
  readonly codec?: Codec | undefined;
  /** Remembers the end of each log elsewhere; see `Anchor`. Needs a codec that authenticates. */
  readonly anchor?: Anchor | undefined;
}

/** A schema on a server, with every default filled in. */
export interface ResolvedPlace {
  readonly connectionString: string | undefined;
  /** Empty: the host of the connection string. */
  readonly hosts: ReadonlyArray<{ readonly host: string; readonly port: number | undefined }>;
  readonly pool: PostgresPool | undefined;
  readonly schema: string;
  readonly maxConnections: number;
  readonly busyTimeoutMs: number;
  readonly outageTimeoutMs: number;
}

/** Options of a store with every default filled in. */
export interface ResolvedOptions extends ResolvedPlace {
  readonly notify: boolean;
}

/** Names of PostgreSQL are cut at this many bytes, silently. */
const longestName = 63;

/** Fills in the defaults; throws a TypeError or RangeError, which never tells what it met. */
export function resolveOptions(options: PostgresStoreOptions): ResolvedOptions {
  const { notify = true } = options;
  if (typeof notify !== "boolean") throw new TypeError("notify: wanted a boolean");
  return Object.freeze({ ...resolvePlace(options, "checkpointer"), notify });
}

/** The same for what has no followers; `defaultSchema` is the one where none is named. */
export function resolvePlace(
  options: Omit<PostgresStoreOptions, "notify">,
  defaultSchema: string,
): ResolvedPlace {
  const { connectionString, hosts = [], pool, schema = defaultSchema } = options;
  const { maxConnections = 10, busyTimeoutMs = 5_000, outageTimeoutMs = 15_000 } = options;
  if ((connectionString === undefined) === (pool === undefined)) {
    throw new TypeError("wanted either connectionString or pool");
  }
  if (connectionString !== undefined) requireConnectionString(connectionString);
  if (pool !== undefined && typeof pool.connect !== "function") {
    throw new TypeError("pool: wanted a pool of the package pg");
  }
  if (!Array.isArray(hosts) || (hosts.length > 0 && pool !== undefined)) {
    throw new TypeError("hosts: wanted a list beside connectionString");
  }
  requireSchema(schema);
  requireCount("maxConnections", maxConnections);
  requireCount("busyTimeoutMs", busyTimeoutMs);
  requireCount("outageTimeoutMs", outageTimeoutMs);
  return Object.freeze({
    connectionString,
    hosts: hosts.map(parseHost),
    pool,
    schema,
    maxConnections,
    busyTimeoutMs,
    outageTimeoutMs,
  });
}

/** A parser's error would quote what it could not parse, and a password with it. */
function requireConnectionString(text: unknown): void {
  if (typeof text !== "string") {
    throw new TypeError(`connectionString: wanted a string, met ${typeof text}`);
  }
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(withHost(text))) {
    throw new TypeError("connectionString: wanted a URL that starts with postgres://");
  }
}

/** A URL may leave its host to the environment, which the standard's parser does not know. */
function withHost(text: string): string {
  return text.replace(/^([a-z]+:\/\/(?:[^/?#]*@)?)(?=[:/?#]|$)/, "$1localhost");
}

function requireSchema(schema: unknown): void {
  if (typeof schema !== "string") throw new TypeError("schema: wanted a string");
  const bytes = Buffer.byteLength(schema);
  if (bytes === 0 || bytes > longestName || schema.includes("\0") || !schema.isWellFormed()) {
    throw new RangeError(`schema: wanted a name of 1 to ${longestName} UTF-8 bytes`);
  }
}

function requireCount(name: string, value: unknown): void {
  if (typeof value !== "number") throw new TypeError(`${name}: wanted a number`);
  if (!Number.isInteger(value) || value < 1 || value > 0x7fffffff) {
    throw new RangeError(`${name}: wanted a whole number from 1, met ${value}`);
  }
}

/** `host`, `host:port`, `[::1]:port`. */
function parseHost(text: unknown): { host: string; port: number | undefined } {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/@?#\s]+)(?::(\d{1,5}))?$/.exec(String(text));
  const host = match?.[1];
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new RangeError("hosts: wanted host or host:port");
  }
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
