import type { ErrorCode } from "../../src/index.ts";

/** One life of a session. */
export interface ModelLog {
  /** Two histories of one id have different lives; so do a log before and after a cut. */
  readonly life: number;
  /** JSON text of every event. */
  readonly events: readonly string[];
  readonly keys: ReadonlyMap<string, { readonly from: number; readonly to: number }>;
}

/** A head that a caller insists on; without a life it is a plain number. */
export interface ModelHead {
  readonly seq: number;
  /** 0: absent. */
  readonly life?: number;
}

/** One append, as the model sees it. */
export interface ModelAppend {
  readonly events: readonly string[];
  readonly expected: ModelHead | undefined;
  readonly key: string | undefined;
}

/** What a call gives: a result, or the code it fails with; a conflict names the actual head. */
export type ModelResult =
  | { readonly value: unknown }
  | { readonly code: ErrorCode | "RangeError"; readonly actual?: number };

/** The contract, in the most obvious way: every session as an array, changed in one step. */
export class SessionModel {
  /** The least recently changed session first. */
  readonly logs: Map<string, ModelLog> = new Map();
  #lives = 0;

  head(sessionId: string): Required<ModelHead> {
    const log = this.logs.get(sessionId);
    return { seq: log?.events.length ?? 0, life: log?.life ?? 0 };
  }

  eventsOf(sessionId: string): readonly string[] {
    return this.logs.get(sessionId)?.events ?? [];
  }

  append(sessionId: string, { events, expected, key }: ModelAppend): ModelResult {
    const log = this.logs.get(sessionId);
    const known = key === undefined ? undefined : log?.keys.get(key);
    if (log !== undefined && known !== undefined) {
      const stored = log.events.slice(known.from - 1, known.to);
      if (JSON.stringify(stored) === JSON.stringify(events)) return { value: known.to };
      return { code: "IDEMPOTENCY_MISMATCH" };
    }
    if (!this.#isAt(sessionId, expected)) return this.#conflict(sessionId);
    const { seq } = this.head(sessionId);
    if (events.length === 0) return { value: seq };
    const head = seq + events.length;
    const keys = new Map(log?.keys);
    if (key !== undefined) keys.set(key, { from: seq + 1, to: head });
    const life = log?.life ?? (this.#lives += 1);
    this.#put(sessionId, { life, keys, events: [...(log?.events ?? []), ...events] });
    return { value: head };
  }

  truncate(sessionId: string, toSeq: number, expected: ModelHead | undefined): ModelResult {
    if (!this.#isAt(sessionId, expected)) return this.#conflict(sessionId);
    const log = this.logs.get(sessionId);
    if (log === undefined || toSeq >= log.events.length) return { value: undefined };
    const keys = new Map([...log.keys].filter(([, { to }]) => to <= toSeq));
    const life = (this.#lives += 1);
    this.#put(sessionId, { life, keys, events: log.events.slice(0, toSeq) });
    return { value: undefined };
  }

  fork(sourceId: string, atSeq: number, targetId: string): ModelResult {
    const events = this.eventsOf(sourceId).slice(0, atSeq);
    if (atSeq < 1 || events.length < atSeq) return { code: "RangeError" };
    if (this.logs.has(targetId)) return this.#conflict(targetId);
    this.#put(targetId, { life: (this.#lives += 1), keys: new Map(), events });
    return { value: atSeq };
  }

  delete(sessionId: string): ModelResult {
    this.logs.delete(sessionId);
    return { value: undefined };
  }

  #isAt(sessionId: string, expected: ModelHead | undefined): boolean {
    if (expected === undefined) return true;
    const { seq, life } = this.head(sessionId);
    return expected.seq === seq && (expected.life ?? life) === life;
  }

  #conflict(sessionId: string): ModelResult {
    return { code: "CONFLICT", actual: this.head(sessionId).seq };
  }

  /** Puts a log last, since it is the most recently changed one. */
  #put(sessionId: string, log: ModelLog): void {
    this.logs.delete(sessionId);
    this.logs.set(sessionId, log);
  }
}
