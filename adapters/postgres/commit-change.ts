import { randomUUID } from "node:crypto";
import {
  CheckpointError,
  matchesBase,
  newGeneration,
  quote,
  type Change,
  type LogHead,
  type Outcome,
} from "../../src/index.ts";
import type { Database, Row, Run, Value } from "./database.ts";
import {
  chunksOf,
  fitsOneStatement,
  keysOf,
  noKeys,
  rowsOf,
  tailOf,
  toArrays,
  toValues,
  type NewRow,
} from "./new-records.ts";
import { asUnsent, ConnectionLost, isKeyTaken } from "./postgres-errors.ts";
import { resolveOutcome } from "./resolve-outcome.ts";
import { lookAt, type SessionLook } from "./session-look.ts";
import type { Statement, Statements } from "./statements.ts";
import { toInteger, toMicroseconds } from "./stored-record.ts";

/** What a commit works with. */
interface CommitContext {
  readonly database: Database;
  readonly statements: Statements;
  readonly busyTimeoutMs: number;
}

/** One try of a change; another try gets other names. */
interface Attempt {
  readonly sessionId: string;
  readonly change: Change;
  readonly rows: readonly NewRow[];
  readonly keys: Buffer;
  /** Marks its last record. */
  readonly id: string;
  /** Of the history that it begins, if it does; random bytes are dear, and most changes begin none. */
  readonly generation: () => string;
}

/** Looks at a head that is another one each time before giving up. */
const mostLooks = 1_000;

/** Makes the function that compares and changes; see `RecordStore.commit`. */
export function createCommit(
  context: CommitContext,
): (sessionId: string, change: Change) => Promise<Outcome> {
  const { database, statements, busyTimeoutMs } = context;
  /** How many changes had dropped records when this handle looked last; see resolve-outcome.ts. */
  let cutsSeen = -1;

  function saw(cuts: number): void {
    cutsSeen = Math.max(cutsSeen, cuts);
  }

  async function look(
    run: Run,
    { sessionId, keys }: Pick<Attempt, "sessionId" | "keys">,
  ): Promise<SessionLook> {
    const seen = await lookAt(run, statements, sessionId, keys);
    saw(seen.cuts);
    return seen;
  }

  return (sessionId, change) => {
    const rows = rowsOf(change);
    const keys = keysOf(change);
    const action = `change session ${quote(sessionId)}`;
    return database.persist(
      action,
      async () => {
        if (cutsSeen < 0) await asUnsent(look(database.run, { sessionId, keys }));
        const names = { id: randomUUID(), generation: once(newGeneration) };
        return settle({ sessionId, change, rows, keys, ...names });
      },
      { sessionId },
    );
  };

  /** Makes a change, and finds out what became of it where the connection broke. */
  async function settle(attempt: Attempt): Promise<Outcome> {
    const { change, rows, sessionId, generation } = attempt;
    const cutsBefore = cutsSeen;
    try {
      if (change.keep !== undefined || rows.length === 0 || !fitsOneStatement(rows)) {
        return await inTransaction(attempt);
      }
      return await inOneStatement(attempt);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || !error.sent) throw error;
      const marker = rows.length > 0 ? { change: attempt.id } : { generation: generation() };
      const head = await resolveOutcome(context, sessionId, attempt.id, marker, cutsBefore);
      if (head === "open") throw error;
      if (head === "not applied") throw new ConnectionLost(false, error.cause);
      return { head };
    }
  }

  async function inOneStatement(attempt: Attempt): Promise<Outcome> {
    const { base } = attempt.change;
    let creates = base !== null && admitsAbsent(base);
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const row = await (creates ? create(attempt) : append(attempt));
      if (row !== undefined) {
        saw(toInteger(row[2]));
        const seq = toInteger(row[1]);
        return {
          head: { seq, generation: String(row[0]), tail: tailOf(attempt.rows, seq) },
        };
      }
      const { duplicate, head } = await asUnsent(look(database.run, attempt));
      if (duplicate !== null) return { duplicate };
      if (!matchesBase(head, base)) return { conflict: head };
      creates = head === null;
    }
    throw movingError(attempt.sessionId);
  }

  async function append(attempt: Attempt): Promise<Row | undefined> {
    const { base } = attempt.change;
    const seq = base === null ? null : String(base.seq);
    const place = [...placeOf(attempt), seq, base?.generation ?? null];
    const [statement, records] = appending(attempt);
    try {
      return (await database.run(statement, [...place, ...records]))[0];
    } catch (error) {
      // Somebody has used the key since this statement began.
      if (isKeyTaken(error)) return undefined;
      throw error;
    }
  }

  /** The statement that suits the records, and what it takes of them. */
  function appending({ change, rows, keys }: Attempt): [Statement, Value[]] {
    const [only] = rows;
    if (rows.length === 1 && change.batches.length === 1 && only !== undefined) {
      const values = toValues(only);
      return only.key === null
        ? [statements.appendOne, values]
        : [statements.appendOneKeyed, [...values, only.key]];
    }
    const arrays = toArrays(rows);
    return keys === noKeys
      ? [statements.append, arrays]
      : [statements.appendKeyed, [...arrays, keys]];
  }

  async function create(attempt: Attempt): Promise<Row | undefined> {
    const values = [...placeOf(attempt), attempt.generation(), ...toArrays(attempt.rows)];
    return (await database.run(statements.create, values))[0];
  }

  function placeOf({ sessionId, rows, change, id }: Attempt): Value[] {
    const mtime = String(toMicroseconds(change.mtime));
    return [sessionId, String(rows.length), mtime, id, String(busyTimeoutMs)];
  }

  async function inTransaction(attempt: Attempt): Promise<Outcome> {
    const { change, sessionId } = attempt;
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const isLook = change.keep === undefined && attempt.rows.length === 0;
      // What changes nothing needs no lock.
      const outcome = isLook
        ? await asUnsent(apply(database.run, attempt, await look(database.run, attempt)))
        : await database.transact(async (run) => {
            await run(statements.lock, [sessionId]);
            return apply(run, attempt, await look(run, attempt));
          });
      if (outcome !== null) return outcome;
    }
    throw movingError(sessionId);
  }

  /** @returns null when another session of that name came in between */
  async function apply(run: Run, attempt: Attempt, found: SessionLook): Promise<Outcome | null> {
    const { change, rows, generation } = attempt;
    const { duplicate, head: current } = found;
    if (duplicate !== null) return { duplicate };
    if (!matchesBase(current, change.base)) return { conflict: current };
    const mtime = String(toMicroseconds(change.mtime));
    const { keep } = change;
    let head = current;
    if (current !== null && found.id !== null && keep !== undefined && keep < current.seq) {
      const [cutKey] = await run(statements.cutKey, [found.id, String(keep)]);
      await run(statements.cut, [found.id, String(keep), generation(), mtime]);
      if (cutKey !== undefined) await run(statements.dropKey, [found.id, String(cutKey[0])]);
      head = (await look(run, attempt)).head;
    }
    if (rows.length === 0) return { head };
    const id = found.id ?? (await createEmpty(run, attempt, mtime));
    if (id === undefined) return null;
    const target: LogHead = head ?? { seq: 0, generation: generation(), tail: null };
    return { head: await insertAll(run, attempt, id, target, mtime) };
  }

  async function createEmpty(
    run: Run,
    { sessionId, generation }: Attempt,
    mtime: string,
  ): Promise<string | undefined> {
    const [row] = await run(statements.createEmpty, [sessionId, generation(), mtime]);
    return row === undefined ? undefined : String(row[0]);
  }

  async function insertAll(
    run: Run,
    { rows, id: change }: Attempt,
    id: string,
    { seq: before, generation }: LogHead,
    mtime: string,
  ): Promise<LogHead> {
    const seq = before + rows.length;
    let offset = before;
    for (const chunk of chunksOf(rows)) {
      const end = offset + chunk.length;
      const mark = end === seq ? change : null;
      await run(statements.insert, [id, String(offset), ...toArrays(chunk), mark]);
      offset = end;
    }
    await run(statements.moveHead, [id, String(seq), mtime]);
    return { seq, generation, tail: tailOf(rows, seq) };
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Whether an absent session is what a base describes. */
function admitsAbsent({ seq, generation = "" }: NonNullable<Change["base"]>): boolean {
  return seq === 0 && generation === "";
}

function movingError(sessionId: string): CheckpointError {
  const detail = `the log was another one at each of ${mostLooks} looks`;
  return new CheckpointError("BUSY", `Cannot change session ${quote(sessionId)}: ${detail}`);
}
