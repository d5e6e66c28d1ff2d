import {
  CheckpointError,
  matchesBase,
  newGeneration,
  quote,
  type Base,
  type LogHead,
  type Outcome,
  type RewriteRecord,
} from "../../src/index.ts";
import type { Database, Run } from "./database.ts";
import { purgeSession, type HiddenSession } from "./hidden-sessions.ts";
import { noKeys, rowOfRewritten, toArrays, type NewRow } from "./new-records.ts";
import { ConnectionLost, isNameTaken, isSeqTaken } from "./postgres-errors.ts";
import { lookAt, type SessionLook } from "./session-look.ts";
import type { Statements } from "./statements.ts";
import { toMicroseconds } from "./stored-record.ts";

/** A chunk is one short transaction. */
const chunkRecords = 1_000;
const chunkSize = 1024 * 1024;

/**
 * Puts a whole new log in place. Its records go into a hidden session in short transactions, each of
 * which renews the claim on it; then one more compares, hides the old session and gives its name to
 * the new one. Whoever finds a hidden session an hour after its last renewal may delete it, which a
 * paused process notices at its next step.
 */
export async function rewriteLog(
  database: Database,
  statements: Statements,
  sessionId: string,
  base: Base | null,
  records: AsyncIterable<RewriteRecord>,
  mtime: number,
): Promise<Outcome> {
  const action = `rewrite session ${quote(sessionId)}`;
  const look = (run: Run): Promise<SessionLook> => lookAt(run, statements, sessionId, noKeys);
  // Checked again at the swap; here it only saves the work.
  const repeatable = { sessionId, isRepeatable: true };
  const { head: before } = await database.persist(action, () => look(database.run), repeatable);
  if (!matchesBase(before, base)) return { conflict: before };

  let staged: HiddenSession | null = null;
  let isRevealed = false;
  try {
    staged = await stageAll();
    if (staged === null && before === null) return { head: null };
    staged ??= await createHidden();
    const outcome = await swap(staged);
    isRevealed = "head" in outcome;
    return outcome;
  } finally {
    // What cannot be deleted now is deleted as stale by a later opener.
    if (staged !== null && !isRevealed) {
      await purgeSession(database, statements, staged).catch(() => undefined);
    }
  }

  async function createHidden(): Promise<HiddenSession> {
    const generation = newGeneration();
    const values = [generation, String(toMicroseconds(Date.now()))];
    const create = (): Promise<HiddenSession> =>
      database.run(statements.createHidden, values).then(([row]) => {
        return { id: String(row?.[0]), generation };
      });
    // Made twice, the first one is a stale one without records.
    return database.persist(action, create, { isRepeatable: true });
  }

  async function stageAll(): Promise<HiddenSession | null> {
    let target: HiddenSession | null = null;
    let chunk: NewRow[] = [];
    let size = 0;
    let offset = 0;
    const flush = async (): Promise<void> => {
      target ??= staged = await createHidden();
      await stage(target, chunk, offset);
      offset += chunk.length;
      chunk = [];
      size = 0;
    };
    for await (const record of records) {
      if (chunk.length >= chunkRecords || size >= chunkSize) await flush();
      chunk.push(rowOfRewritten(record));
      size += record.payload.length;
    }
    if (chunk.length > 0) await flush();
    return target;
  }

  async function stage(target: HiddenSession, chunk: NewRow[], offset: number): Promise<void> {
    const { id, generation } = target;
    const work = async (): Promise<void> => {
      try {
        await database.transact(async (run) => {
          const claim = [id, generation, String(toMicroseconds(Date.now())), String(chunk.length)];
          const [row] = await run(statements.touchHidden, claim);
          if (row === undefined) throw lostStaging(sessionId);
          await run(statements.insert, [id, String(offset), ...toArrays(chunk), null]);
        });
      } catch (error) {
        // An earlier try was committed, and only its answer got lost.
        if (!isSeqTaken(error)) throw error;
      }
    };
    await database.persist(action, work, { sessionId, isRepeatable: true });
  }

  async function swap(target: HiddenSession): Promise<Outcome> {
    const work = async (): Promise<Outcome> => {
      let replaced: HiddenSession | null = null;
      const exchange = async (run: Run): Promise<Outcome> => {
        await run(statements.lock, [sessionId]);
        const { id, head } = await look(run);
        if (!matchesBase(head, base)) return { conflict: head };
        if (id !== null && head !== null) {
          await run(statements.hide, [sessionId, id]);
          replaced = { id, generation: head.generation };
        }
        return { head: await reveal(run, target) };
      };
      try {
        const outcome = await database.transact(exchange);
        // It is out of sight already; what cannot be purged now is purged by a later opener.
        if (replaced !== null) {
          await purgeSession(database, statements, replaced).catch(() => undefined);
        }
        return outcome;
      } catch (error) {
        if (isNameTaken(error)) return work();
        if (!(error instanceof ConnectionLost) || !error.sent) throw error;
        return afterLoss(target, error);
      }
    };
    return database.persist(action, work, { sessionId });
  }

  /** The swap held the hidden row, so whoever gets at that row now comes behind it. */
  async function afterLoss(target: HiddenSession, error: ConnectionLost): Promise<Outcome> {
    const { id, generation } = target;
    const claim = [id, generation, String(toMicroseconds(Date.now())), "0"];
    const touch = (): Promise<unknown[]> => database.run(statements.touchHidden, [...claim]);
    let rows: unknown[];
    try {
      rows = await database.persist(action, touch, { isRepeatable: true });
    } catch {
      throw error;
    }
    if (rows.length > 0) throw new ConnectionLost(false, error.cause);
    const { head } = await database.persist(action, () => look(database.run), repeatable);
    if (head?.generation !== generation) throw error;
    return { head };
  }

  async function reveal(run: Run, { id, generation }: HiddenSession): Promise<LogHead | null> {
    const [placeholder] = await run(statements.dropPlaceholder, [sessionId]);
    const refused = (placeholder?.[0] ?? null) as string | null;
    await run(statements.countBatches, [id]);
    const values = [id, generation, sessionId, String(toMicroseconds(mtime)), refused];
    const [row] = await run(statements.reveal, values);
    if (row === undefined) throw lostStaging(sessionId);
    return (await look(run)).head;
  }
}

function lostStaging(sessionId: string): CheckpointError {
  const detail = "another process took it for abandoned and deleted what was staged";
  return new CheckpointError("IO_FAILED", `Cannot rewrite session ${quote(sessionId)}: ${detail}`);
}
