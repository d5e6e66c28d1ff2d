import {
  CheckpointError,
  isCheckpointError,
  quote,
  requireSessionId,
  type SessionKeys,
  type SessionKeyStore,
  type WrappedKey,
} from "../../src/index.ts";
import { resolvePlace, type PostgresServerOptions } from "./postgres-options.ts";
import type { PostgresOperations } from "./postgres-store.ts";
import { keyLayout } from "./schema.ts";
import { createVersionedRows } from "./versioned-rows.ts";

/** Options of {@link postgresKeyStore}; one of `connectionString` and `pool` has to be there. */
export interface PostgresKeyStoreOptions extends PostgresServerOptions {
  /**
   * A schema for keys alone: not the log's, nor in its backups. 1 to 63 UTF-8 bytes. Made with the
   * first key, or by `setup()`. Default `"checkpointer_keys"`.
   */
  readonly schema?: string | undefined;
}

/** A key store on PostgreSQL, with its operations. */
export interface PostgresKeyStore extends SessionKeyStore, PostgresOperations {}

const nothing: SessionKeys = { shredded: false, keys: [] };

/**
 * Session keys in a schema of their own, for any number of machines; best in another database than the
 * log, so that no backup holds both. Every change is one statement, and made once although
 * connections break.
 *
 * `shred` takes the keys out of the table. PostgreSQL keeps old versions of a row until `VACUUM`, and
 * old bytes in its write-ahead log, standbys and backups nevertheless (docs/operating-postgres.md).
 *
 * @throws CheckpointError `NOT_SUPPORTED` when pg is not installed
 * @throws TypeError or RangeError for an unusable option
 * @example
 * ```ts
 * const store = postgresKeyStore({ connectionString: "postgres://keeper@db/keys" });
 * const keys = sessionKeys({ store, wrapper: localWrapper({ key }) });
 * ```
 */
export function postgresKeyStore(options: PostgresKeyStoreOptions): PostgresKeyStore {
  const rows = createVersionedRows(resolvePlace(options, "checkpointer_keys"), keyLayout);

  /** @param next - undefined: leave it */
  async function change(
    action: string,
    sessionId: string,
    next: (before: SessionKeys) => SessionKeys | undefined,
  ): Promise<boolean> {
    requireSessionId(sessionId);
    return available(
      rows.change(action, sessionId, (content) => {
        const after = next(parseKeys(sessionId, content));
        return after === undefined ? undefined : toText(after);
      }),
    );
  }

  return {
    async get(sessionId) {
      requireSessionId(sessionId);
      const reading = rows.read("read the keys of session", sessionId);
      return parseKeys(sessionId, await available(reading));
    },
    async add(sessionId, key) {
      const added = copyOf(key);
      return change("add a key to session", sessionId, ({ shredded, keys }) => {
        const isKnown = keys.some(({ id }) => id === added.id);
        return shredded || isKnown ? undefined : { shredded, keys: [...keys, added] };
      });
    },
    async replace(sessionId, keys) {
      const others = new Map(keys.map((key) => [key.id, copyOf(key)]));
      return change("replace keys of session", sessionId, (before) => {
        const after = before.keys.map((key) => others.get(key.id) ?? key);
        return before.shredded ? undefined : { shredded: false, keys: after };
      });
    },
    async shred(sessionId) {
      requireSessionId(sessionId);
      // Whatever is there, damaged or not.
      const tombstone = toText({ shredded: true, keys: [] });
      await available(rows.change("shred the keys of session", sessionId, () => tombstone));
    },
    async revive(sessionId) {
      await change("revive session", sessionId, ({ shredded }) => (shredded ? nothing : undefined));
    },
    async *list() {
      const sessions = rows.list();
      for (;;) {
        const step = await available(sessions.next());
        if (step.done === true) return;
        yield step.value;
      }
    },
    setup: () => available(rows.setup()),
    isSetUp: () => available(rows.isSetUp()),
    close: () => rows.close(),
  };
}

/**
 * What goes wrong with a server or a lock may go right later; nothing was changed, or all of it was.
 */
async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    if (!["BUSY", "IO_FAILED", "OUTCOME_UNKNOWN"].includes(error.code)) throw error;
    throw new CheckpointError("KEY_UNAVAILABLE", error.message, { cause: error });
  }
}

function copyOf({ id, wrapperId, wrapped, created }: WrappedKey): WrappedKey {
  return { id, wrapperId, wrapped: Uint8Array.from(wrapped), created };
}

/** A session without keys is as good as unknown. */
function toText({ shredded, keys }: SessionKeys): string | null {
  if (shredded) return JSON.stringify({ shredded });
  if (keys.length === 0) return null;
  const spelled = keys.map(({ wrapped, ...key }) => {
    return { ...key, wrapped: Buffer.from(wrapped).toString("base64") };
  });
  return JSON.stringify({ keys: spelled });
}

function parseKeys(sessionId: string, text: string | null): SessionKeys {
  if (text === null) return nothing;
  try {
    const { shredded, keys } = JSON.parse(text) as Content;
    if (shredded === true) return { shredded, keys: [] };
    if (!Array.isArray(keys)) throw new TypeError("no keys");
    return { shredded: false, keys: (keys as Array<Record<string, unknown>>).map(parseKey) };
  } catch {
    // The parser's error would quote the text.
    const detail = "its row is damaged";
    const message = `Cannot use the keys of session ${quote(sessionId)}: ${detail}`;
    throw new CheckpointError("UNSUPPORTED_FORMAT", message);
  }
}

interface Content {
  readonly shredded?: unknown;
  readonly keys?: unknown;
}

function parseKey({ id, wrapperId, wrapped, created }: Record<string, unknown>): WrappedKey {
  const texts = [id, wrapperId, wrapped, created];
  if (!texts.every((text) => typeof text === "string")) throw new TypeError("no key");
  const [ownId, ownWrapper, spelled, moment] = texts as [string, string, string, string];
  const bytes = Uint8Array.from(Buffer.from(spelled, "base64"));
  return { id: ownId, wrapperId: ownWrapper, wrapped: bytes, created: moment };
}
