import path from "node:path";
import {
  CheckpointError,
  quote,
  type EventObject,
  type MinimalCheckpointer,
  type SessionEvent,
  type StoredEvent,
} from "../../src/index.ts";
import { openSeed, type SeedReader } from "./seed-reader.ts";

/** What an import has done. */
export interface SeedImport {
  /** Sessions with at least one event. */
  readonly sessions: number;
  /** Events that were appended. */
  readonly events: number;
  /** Events that an earlier run had already appended. */
  readonly skipped: number;
}

/** What an import needs of the checkpointer it fills. */
export type SeedImportTarget<E extends EventObject = SessionEvent> = Pick<
  MinimalCheckpointer<E>,
  "append" | "head" | "read"
>;

/**
 * Copies every session of a database of the seed (lite-agent's `checkpoint-sqlite`, with its tables
 * `events` and `sessions`) into any checkpointer, event by event and in the order in which the
 * sessions last changed. The seed's database is only read.
 *
 * May be stopped and run again: events that are there already are compared and skipped. They get
 * the timestamps of the import, since `append` stamps what it stores. Sessions without events are
 * left out.
 *
 * @param file - the seed's database
 * @throws CheckpointError `UNSUPPORTED_FORMAT` when it is no database of the seed; `CONFLICT` when
 * a session of the target holds other events; `CORRUPT_LOG` when a seq is missing or an event is
 * not JSON; whatever the target throws
 */
export async function importSeedDatabase<E extends EventObject = SessionEvent>(
  file: string,
  target: SeedImportTarget<E>,
): Promise<SeedImport> {
  const seed = await openSeed(path.resolve(file));
  try {
    let [sessions, events, skipped] = [0, 0, 0];
    for (const sessionId of await seed.sessions()) {
      const added = await importSession(seed, sessionId, target);
      sessions += 1;
      events += added.events;
      skipped += added.skipped;
    }
    return { sessions, events, skipped };
  } finally {
    seed.close();
  }
}

async function importSession<E extends EventObject>(
  seed: SeedReader,
  sessionId: string,
  target: SeedImportTarget<E>,
): Promise<{ events: number; skipped: number }> {
  const head = await target.head(sessionId);
  const present = target.read(sessionId)[Symbol.asyncIterator]();
  let seq = 0;
  try {
    for await (const page of seed.events(sessionId)) {
      const fresh: E[] = [];
      for (const event of page) {
        seq += 1;
        if (seq > head) fresh.push(event as E);
        else await requireSame(present, event, sessionId, seq);
      }
      if (fresh.length > 0) await target.append(sessionId, fresh, seq - fresh.length);
    }
  } finally {
    await present.return?.();
  }
  const skipped = Math.min(seq, head);
  return { events: seq - skipped, skipped };
}

/** Both events come out of JSON, where key order is part of the text. */
async function requireSame(
  present: AsyncIterator<StoredEvent<EventObject>>,
  event: object,
  sessionId: string,
  seq: number,
): Promise<void> {
  const next = await present.next();
  const found = next.done === true ? undefined : next.value.event;
  if (JSON.stringify(found) === JSON.stringify(event)) return;
  const detail = `the target holds another event at seq ${seq}`;
  throw new CheckpointError("CONFLICT", `Cannot import session ${quote(sessionId)}: ${detail}`);
}
