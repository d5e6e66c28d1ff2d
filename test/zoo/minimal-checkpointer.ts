// A store that somebody might write without the kit's engine: the methods that every checkpointer has,
// over arrays. It is correct, and its parts can be replaced by wrong ones.

import {
  CheckpointConflictError,
  CheckpointError,
  type EventObject,
  type MinimalCheckpointer,
  type SessionInfo,
  type StoredEvent,
} from "../../src/index.ts";
import { createMtime } from "./mtime.ts";

/** What a log keeps of an event. */
export interface Row {
  readonly ts: string;
  readonly kept: unknown;
}

/** The tables of a store; several checkpointers may share them. */
export type Tables = Map<string, { rows: Row[]; mtime: number }>;

/** The parts of a minimal checkpointer that can be done in more than one way. */
export interface Parts {
  readonly tables: Tables;
  /** What is kept of an event. Default: its JSON text. */
  readonly keep: (event: unknown) => unknown;
  /** The event out of what was kept. */
  readonly give: (kept: unknown) => EventObject;
  /** The time of a change, in milliseconds; no two are the same. */
  readonly mtime: () => number;
}

/** Parts that do what they should, over tables of their own. */
export function goodParts(): Parts {
  return {
    tables: new Map(),
    keep: (event) => plainJson(event),
    give: (kept) => JSON.parse(kept as string) as EventObject,
    mtime: createMtime(),
  };
}

/** A checkpointer of arrays. */
export function minimalCheckpointer(parts: Parts = goodParts()): MinimalCheckpointer<EventObject> {
  const { tables, keep, give, mtime } = parts;
  return {
    async append(sessionId, events, expectedHead) {
      requireId(sessionId);
      if (expectedHead !== undefined) requireWhole(expectedHead);
      const kept = events.map(keep);
      const log = tables.get(sessionId);
      const head = log?.rows.length ?? 0;
      if (expectedHead !== undefined && expectedHead !== head) {
        throw new CheckpointConflictError(sessionId, expectedHead, head);
      }
      if (events.length === 0) return head;
      const target = log ?? { rows: [], mtime: 0 };
      const time = mtime();
      const ts = new Date(time).toISOString();
      target.rows.push(...kept.map((one) => ({ ts, kept: one })));
      target.mtime = time;
      tables.set(sessionId, target);
      return target.rows.length;
    },

    async *read(sessionId, options) {
      requireId(sessionId);
      const { sinceSeq = 0 } = options ?? {};
      requireWhole(sinceSeq);
      const rows = tables.get(sessionId)?.rows.slice(sinceSeq) ?? [];
      for (const [index, { ts, kept }] of rows.entries()) {
        yield storedEvent(sessionId, sinceSeq + index + 1, ts, give(kept));
      }
    },

    async head(sessionId) {
      requireId(sessionId);
      return tables.get(sessionId)?.rows.length ?? 0;
    },

    async list() {
      const sessions: SessionInfo[] = [];
      for (const [id, { rows, mtime: time }] of tables) {
        sessions.push({ id, mtime: time, head: rows.length });
      }
      return sessions.toSorted((a, b) => b.mtime - a.mtime);
    },

    async delete(sessionId) {
      requireId(sessionId);
      tables.delete(sessionId);
    },

    async truncate(sessionId, toSeq) {
      requireId(sessionId);
      requireWhole(toSeq);
      const log = tables.get(sessionId);
      if (log === undefined || toSeq >= log.rows.length) return;
      tables.set(sessionId, { rows: log.rows.slice(0, toSeq), mtime: mtime() });
    },
  };
}

function storedEvent(
  sessionId: string,
  seq: number,
  ts: string,
  event: EventObject,
): StoredEvent<EventObject> {
  return { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event };
}

/** The JSON text of an event that says the same as the event itself. */
export function plainJson(event: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(event);
  } catch {
    text = undefined;
  }
  if (text?.startsWith("{") !== true || hasLostSomething(event)) {
    throw new CheckpointError(
      "EVENT_NOT_SERIALIZABLE",
      "Cannot append: the event is no plain JSON",
    );
  }
  return text;
}

/** Whether JSON would drop or replace a part; only called for what has an end. */
function hasLostSomething(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value === "function";
  if (value instanceof Date || value instanceof Map || value instanceof Set) return true;
  return Object.values(value).some(hasLostSomething);
}

function requireId(sessionId: string): void {
  const bytes = Buffer.byteLength(sessionId);
  const usable = sessionId.isWellFormed() && !sessionId.includes("\0") && bytes > 0 && bytes <= 512;
  if (!usable) throw new CheckpointError("INVALID_SESSION_ID", "Invalid session id");
}

function requireWhole(value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new RangeError(`wanted a whole number, met ${String(value)}`);
  }
}
