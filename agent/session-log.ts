import {
  CheckpointConflictError,
  isCheckpointError,
  type Checkpointer,
  type HeadToken,
  type SessionEvent,
  type StoredEvent,
} from "../src/index.ts";
import { emptyState, foldEvent, type SessionState } from "./session-state.ts";

/** One session as an agent works on it: its state, and appends that insist on nobody else's. */
export interface SessionLog {
  readonly sessionId: string;
  /** What the log says up to its head. Read it, do not change it. */
  readonly state: SessionState;
  /** The history the state stands for. */
  readonly token: HeadToken;
  /**
   * Appends behind the head the state stands for. Calls that are not awaited land in the order they were made.
   *
   * @returns the events with their places
   * @throws CheckpointConflictError when somebody else changed the session; nothing was appended, and every
   * later append is refused too, until the session is opened again
   */
  append(events: readonly SessionEvent[]): Promise<readonly StoredEvent[]>;
  /** Whether the session still is as the state says. */
  isCurrent(): Promise<boolean>;
}

/** Who is told of a session's events. */
export interface SessionLogObserver {
  /** Of each event that is appended, once it is durable. */
  readonly onEvent?: ((stored: StoredEvent) => void) | undefined;
  /** Of each event that is there already, with the state before it. */
  readonly onLoad?: ((stored: StoredEvent, state: SessionState) => void) | undefined;
  /** Loading starts over, because the session became another one meanwhile. */
  readonly onReload?: (() => void) | undefined;
  /** Stops the loading. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a session, or starts one that does not exist yet. */
export async function openSessionLog(
  checkpointer: Checkpointer,
  sessionId: string,
  observer: SessionLogObserver = {},
): Promise<SessionLog> {
  const { onEvent } = observer;
  const { state, token: loaded } = await loadState(checkpointer, sessionId, observer);
  let token = loaded;
  let last: Promise<unknown> = Promise.resolve();

  async function appendNow(events: readonly SessionEvent[]): Promise<readonly StoredEvent[]> {
    const head = await checkpointer.append(sessionId, events, token);
    token = await tokenAt(head);
    const stored = numbered(sessionId, state.head, events);
    for (const one of stored) {
      foldEvent(state, one);
      onEvent?.(one);
    }
    return stored;
  }

  /** The token after an own append: the generation stays, but a session's first append gives it one. */
  async function tokenAt(head: number): Promise<HeadToken> {
    if (token !== ":0") return `${generationOf(token)}:${head}`;
    const now = await checkpointer.headToken(sessionId);
    if (now.endsWith(`:${head}`)) return now;
    throw new CheckpointConflictError(sessionId, head, seqOf(now));
  }

  return {
    sessionId,
    state,
    get token() {
      return token;
    },
    append(events) {
      const appended = last.then(() => appendNow(events));
      last = appended.catch(() => undefined);
      return appended;
    },
    isCurrent: async () => (await checkpointer.headToken(sessionId)) === token,
  };
}

/** A session's state together with the token of exactly that history. */
async function loadState(
  checkpointer: Checkpointer,
  sessionId: string,
  { onLoad, onReload, signal }: SessionLogObserver,
): Promise<{ readonly state: SessionState; readonly token: HeadToken }> {
  for (;;) {
    const token = await checkpointer.headToken(sessionId);
    const untilSeq = seqOf(token);
    const state = emptyState();
    try {
      for await (const stored of checkpointer.read(sessionId, { untilSeq, signal })) {
        onLoad?.(stored, state);
        foldEvent(state, stored);
      }
    } catch (error) {
      if (!isCheckpointError(error, "LOG_CHANGED")) throw error;
    }
    // A truncate or a deletion in between would give the events of another history.
    const now = await checkpointer.headToken(sessionId);
    if (state.head === untilSeq && sameGeneration(token, now)) return { state, token };
    onReload?.();
  }
}

/** Whether two tokens are of one history: the events of the shorter one are the first of the other. */
export function sameGeneration(one: HeadToken, other: HeadToken): boolean {
  return generationOf(one) === generationOf(other);
}

function generationOf(token: HeadToken): string {
  return token.slice(0, token.lastIndexOf(":"));
}

function seqOf(token: HeadToken): number {
  return Number(token.slice(token.lastIndexOf(":") + 1));
}

/** A session that is nowhere but in this process. */
export function volatileSessionLog(
  sessionId: string,
  onEvent: (stored: StoredEvent) => void = () => undefined,
): SessionLog {
  const state = emptyState();
  return {
    sessionId,
    state,
    token: ":0",
    append(events) {
      const stored = numbered(sessionId, state.head, events);
      for (const one of stored) {
        foldEvent(state, one);
        onEvent(one);
      }
      return Promise.resolve(stored);
    },
    isCurrent: () => Promise.resolve(true),
  };
}

/** Events with the places they got behind a head. */
function numbered(
  sessionId: string,
  head: number,
  events: readonly SessionEvent[],
): readonly StoredEvent[] {
  const ts = new Date().toISOString();
  return events.map((event, index) => {
    const seq = head + index + 1;
    return { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event };
  });
}
