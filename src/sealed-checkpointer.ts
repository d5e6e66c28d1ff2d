import type { Checkpointer, MinimalCheckpointer } from "./checkpointer.ts";
import type { Codec } from "./codec.ts";
import { createCheckpointer } from "./create-checkpointer.ts";
import { CheckpointError, CorruptLogError } from "./errors.ts";
import { limits } from "./limits.ts";
import type { Change, LogHead, Outcome, RecordStore, StoredRecord } from "./record-store.ts";
import { newGeneration } from "./generation.ts";
import { pageSessions } from "./list-page.ts";
import { createRememberedSessions } from "./remembered-sessions.ts";
import type { EventObject, SessionEvent } from "./session-event.ts";

/** What a sealed record looks like to the checkpointer that keeps it. */
export interface SealedEvent {
  readonly type: "sealed";
  readonly ts: string;
  /** The record in base64url without padding. */
  readonly sealed: string;
}

/**
 * Seals the events of any checkpointer, also one that is not made by this kit: it keeps events of the
 * form `{ type: "sealed", ts, sealed }` and never sees another. Every append insists on the head it was
 * sealed for, so `inner` must refuse a stale head.
 *
 * Truncate needs `inner.truncate`. Idempotency keys, `rekey` and `adopt` are not supported, since they
 * need more than append and read. `close()` closes `inner` if it has a `close`.
 *
 * @param inner - used by nobody else
 * @param codec - an authenticating codec
 */
export function sealedCheckpointer<E extends EventObject = SessionEvent>(
  inner: MinimalCheckpointer<SealedEvent> & Partial<Pick<Checkpointer, "capabilities">>,
  codec: Codec,
): Checkpointer<E> {
  return createCheckpointer<E>(checkpointerStore(inner), { codec });
}

/** A record store over the five methods that every checkpointer has. */
function checkpointerStore(
  inner: MinimalCheckpointer<SealedEvent> & Partial<Pick<Checkpointer, "capabilities">>,
): RecordStore {
  const closable = inner as { close?: () => Promise<void> };

  const generations = createGenerations();

  async function head(sessionId: string): Promise<LogHead | null> {
    const look = generations.look(sessionId);
    const seq = await inner.head(sessionId);
    if (seq === 0) return look(null);
    for await (const record of records(inner, sessionId, seq - 1)) {
      if (record.seq === seq) return look(record);
    }
    // Deleted in between, or a checkpointer that contradicts itself.
    if ((await inner.head(sessionId)) !== seq) return head(sessionId);
    throw new CorruptLogError(sessionId, seq, null, `head() says ${seq}, read() does not have it`);
  }

  async function commit(sessionId: string, change: Change): Promise<Outcome> {
    const { base, keep, batches } = change;
    if (base === null && keep === undefined) throw new TypeError("base: wanted a head, met null");
    if (keep !== undefined && batches.length > 0) throw unsupported("rewrite sessions");
    if (keep !== undefined) {
      if (inner.truncate === undefined) throw unsupported("truncate");
      const current = await head(sessionId);
      if (base !== null && base.seq !== (current?.seq ?? 0)) return { conflict: current };
      await inner.truncate(sessionId, keep);
      return { head: await head(sessionId) };
    }
    const events = batches.flatMap((batch) => batch.records.map(toEvent));
    try {
      const look = generations.look(sessionId);
      const seq = await inner.append(sessionId, events, base?.seq);
      const last = batches.at(-1)?.records.at(-1);
      return { head: look(last === undefined ? null : { ...last, seq }) };
    } catch (error) {
      // By its code alone: a foreign error need not be one of our classes.
      if ((error as { code?: unknown } | null)?.code !== "CONFLICT") throw error;
      return { conflict: await head(sessionId) };
    }
  }

  return {
    capabilities: {
      concurrency: inner.capabilities?.concurrency ?? "instance",
      durability: inner.capabilities?.durability ?? "none",
      readIsolation: inner.capabilities?.readIsolation ?? "prefix",
      clock: "local",
      limits,
      truncate: inner.truncate !== undefined,
      idempotency: false,
      headToken: false,
    },
    head,
    commit,
    async *read(sessionId, { sinceSeq, untilSeq, limit, reverse }) {
      const page: StoredRecord[] = [];
      if (!reverse) {
        let left = limit;
        for await (const record of records(inner, sessionId, sinceSeq)) {
          if (left <= 0 || record.seq > untilSeq) return;
          left -= 1;
          yield [record];
        }
        return;
      }
      // The five methods only read forwards; what is wanted from the end is found from the head.
      const last = Math.min(untilSeq, await inner.head(sessionId));
      const first = Math.max(sinceSeq, last - limit);
      for await (const record of records(inner, sessionId, first)) {
        if (record.seq > last) break;
        page.push(record);
      }
      yield page.reverse();
    },
    async list(page) {
      return pageSessions(await inner.list(), page);
    },
    delete: (sessionId) => inner.delete(sessionId),
    close: async () => closable.close?.(),
  };
}

/** Of a session that was looked at for the first time, or not for long. */
const firstGeneration = "sealed";

/** Tells one history of a session from another, as far as looking at its end can. */
interface Generations {
  /** Call it before looking; the result then turns what was seen into a head. */
  look(sessionId: string): (tail: StoredRecord | null) => LogHead | null;
}

/**
 * Generations for a checkpointer that has none. A log that became shorter since an earlier look, or
 * has another record at its end, gets a new one, so that followers are told. One that was cut and has
 * grown beyond its old end between two looks keeps its own: the five methods do not show that.
 */
function createGenerations(): Generations {
  const seen = createRememberedSessions<LogHead>();
  return {
    look(sessionId) {
      const before = seen.get(sessionId);
      return (tail) => {
        const known = seen.get(sessionId);
        const isNew = before !== undefined && isReplaced(before, tail);
        // Looks overlap; another one may have noticed the same, or have seen more.
        const generation =
          isNew && known?.generation === before.generation
            ? newGeneration()
            : (known?.generation ?? firstGeneration);
        const head = { seq: tail?.seq ?? 0, generation, tail };
        const isLate = generation === known?.generation && head.seq < known.seq;
        // Even what is known is set again, since what was not looked at for long is forgotten.
        seen.set(sessionId, isLate ? known : head);
        return tail === null ? null : head;
      };
    },
  };
}

function isReplaced({ seq, tail: before }: LogHead, tail: StoredRecord | null): boolean {
  if (tail === null || tail.seq !== seq) return (tail?.seq ?? 0) < seq;
  return before !== null && !samePayload(before.payload, tail.payload);
}

function samePayload(left: StoredRecord["payload"], right: StoredRecord["payload"]): boolean {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

async function* records(
  inner: MinimalCheckpointer<SealedEvent>,
  sessionId: string,
  sinceSeq: number,
): AsyncGenerator<StoredRecord, void, void> {
  for await (const { seq, event } of inner.read(sessionId, { sinceSeq })) {
    const { type, ts, sealed } = event as Partial<SealedEvent>;
    if (type !== "sealed" || typeof ts !== "string" || typeof sealed !== "string") {
      // The engine refuses it by its configuration, like any plain record.
      yield { seq, ts: "", payload: JSON.stringify(event) };
      continue;
    }
    const payload = fromBase64Url(sealed);
    if (payload === null) {
      throw new CorruptLogError(sessionId, seq, null, "the sealed text is not canonical base64url");
    }
    yield { seq, ts, payload };
  }
}

function toEvent({ ts, payload }: { ts: string; payload: string | Uint8Array }): SealedEvent {
  if (typeof payload === "string") throw new TypeError("payload: wanted bytes, met a string");
  return { type: "sealed", ts, sealed: toBase64Url(payload) };
}

const chunk = 0x8000;

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += chunk) {
    text += String.fromCharCode(...bytes.subarray(index, index + chunk));
  }
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return toBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

function unsupported(operation: string): CheckpointError {
  return new CheckpointError("NOT_SUPPORTED", `A sealed foreign checkpointer cannot ${operation}`);
}
