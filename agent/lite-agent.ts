import { randomUUID } from "node:crypto";
import process from "node:process";
import {
  quote,
  isCheckpointError,
  requireSessionId,
  type Checkpointer,
  type ListOptions,
  type MessageContent,
  type SessionEvent,
  type SessionInfo,
  type StoredEvent,
} from "../src/index.ts";
import { AgentError } from "./agent-error.ts";
import type { AgentEvent, CompactionEvent } from "./agent-event.ts";
import { resolveAgentOptions, type AgentOptions } from "./agent-options.ts";
import { backgroundTasks } from "./background-tasks.ts";
import { compactSession } from "./compact/compact-session.ts";
import { messagesOf } from "./conversation.ts";
import { isContent, type Message } from "./message.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { messageOf } from "./outcome.ts";
import { listCheckpoints, type Checkpoint } from "./restore/list-checkpoints.ts";
import {
  restoreSession,
  type RestoreOptions,
  type RestoreResult,
} from "./restore/restore-session.ts";
import { resumeSession } from "./resume-session.ts";
import { volatileSessionLog, type SessionLog } from "./session-log.ts";
import { subscribers } from "./subscribers.ts";
import { traceIterable, traceSpan } from "./trace.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** An agent with one session at a time, which survives restarts and can go back in time. */
export interface LiteAgent extends AsyncDisposable {
  /** Of the present session. It exists in the store from its first prompt on. */
  readonly sessionId: string;
  /** Whether a turn, background work, a compaction or a restore is under way. */
  readonly isBusy: boolean;

  /**
   * Runs a turn: the prompt, then the model's answers and the tools it asks for, until it stops. Every step is
   * durable before the next one begins.
   *
   * An abort of the signal cancels it: what had arrived of an answer is kept, open tool calls are closed.
   *
   * @throws the signal's reason; AgentError `AGENT_BUSY`, `MODEL_FAILED`, `AGENT_CLOSED`
   * @throws CheckpointConflictError when another process changed the session during the turn: `resume` it
   */
  send(prompt: MessageContent, options?: { readonly signal?: AbortSignal }): Promise<TurnResult>;
  /** The conversation as the model would get it now. */
  messages(): Promise<readonly Message[]>;

  /**
   * Goes on with another session, or reads the present one again. Tool calls and background work that a crash
   * interrupted get a result that says so, and an interrupted restore is finished.
   *
   * @throws AgentError `SESSION_UNKNOWN`, `SESSIONS_OFF`, `AGENT_BUSY`
   * @throws RestoreError when a restore cannot be finished because files were changed since; nothing was touched.
   * `restore` with `force` overwrites them
   */
  resume(sessionId: string): Promise<void>;
  /** Begins a new session; the old one stays. */
  clear(): void;
  /** Sessions, the latest first. Branches that restores kept are sessions too. */
  listSessions(options?: ListOptions): Promise<SessionInfo[]>;
  /** Removes exactly one session; of the present one, a new one begins. Files stay as they are. */
  deleteSession(sessionId: string): Promise<void>;

  /**
   * Appends a summary that the model gets from now on instead of the conversation before it, and tells how far it
   * is. History stays, and so do its checkpoints. Leaving the loop cancels it.
   *
   * @param instructions - what the summary should keep
   */
  compact(
    instructions?: string,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<CompactionEvent, void>;
  /** Where a session can go back to, oldest first. */
  listCheckpoints(sessionId: string): Promise<Checkpoint[]>;
  /**
   * Takes files and conversation of a session back to just before a checkpoint: see `restoreSession`. What shell
   * commands and services outside did is not undone.
   *
   * @param seq - of an entry of `listCheckpoints`
   */
  restore(sessionId: string, seq: number, options?: RestoreOptions): Promise<RestoreResult>;

  /** Calls `listener` with everything that happens, in order. @returns a function that ends that */
  readonly subscribe: (listener: (event: AgentEvent) => void) => () => void;
  /** Waits until no background work runs. */
  idle(): Promise<void>;
  /** Cancels what runs, waits for it, and closes a store that the agent opened itself. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes an agent. Nothing is opened or written before its first prompt.
 *
 * @throws TypeError or RangeError for bad options
 */
export function createLiteAgent(options: AgentOptions): LiteAgent {
  const resolved = resolveAgentOptions(options);
  const { checkpointer, workdir } = resolved;
  const { publish, subscribe } = subscribers<AgentEvent>();
  const work = oneAtATime();
  const closing = new AbortController();
  const background = backgroundTasks(recordInBackground, (error) => {
    process.emitWarning(`The end of a background task was not recorded: ${messageOf(error)}`);
  });
  const compactions = new Set<AsyncGenerator<CompactionEvent, void>>();
  let sessionId: string = randomUUID();
  let log: SessionLog | null = null;

  const onEventOf =
    (id: string) =>
    ({ seq, event }: StoredEvent): void =>
      publish({ type: "appended", sessionId: id, seq, event });

  async function openLog(): Promise<SessionLog> {
    // A call that is open although nothing runs was left by a store that failed.
    if (log !== null && log.state.openCalls.size === 0 && (await log.isCurrent())) return log;
    const onEvent = onEventOf(sessionId);
    log =
      checkpointer === null
        ? volatileSessionLog(sessionId, onEvent)
        : await resumeSession(checkpointer, workdir, sessionId, background.has, onEvent);
    return log;
  }

  /** What ends in the background ends whatever others did to the session meanwhile. */
  async function recordInBackground(event: SessionEvent): Promise<void> {
    const target = log ?? (await openLog());
    try {
      await target.append([event]);
    } catch (error) {
      if (checkpointer === null || !isCheckpointError(error, "CONFLICT")) throw error;
      await checkpointer.append(sessionId, [event]);
    }
  }

  /** One thing at a time: a turn, or what needs an idle agent. */
  function begin(what: string): () => void {
    requireOpen();
    return work.begin(what);
  }
  async function alone<T>(what: string, run: () => Promise<T>): Promise<T> {
    requireOpen();
    return work.run(what, run);
  }
  function requireOpen(): void {
    if (closing.signal.aborted) throw new AgentError("AGENT_CLOSED", "The agent was closed");
  }
  function requireIdle(what: string): void {
    if (background.size === 0) return;
    throw new AgentError("AGENT_BUSY", `Cannot ${what} now: background work is under way`);
  }
  function requireStore(): Checkpointer {
    requireOpen();
    if (checkpointer !== null) return checkpointer;
    throw new AgentError("SESSIONS_OFF", "This agent keeps no sessions");
  }
  const withClosing = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);

  async function send(
    prompt: MessageContent,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<TurnResult> {
    requirePrompt(prompt);
    const ended = withClosing(signal);
    ended.throwIfAborted();
    const current = await openLog();
    publish({ type: "turn", phase: "start", sessionId });
    try {
      const setting = { ...resolved, log: current, background, publish };
      const result = await runTurn(setting, prompt, ended);
      publish({ type: "turn", phase: "done", sessionId });
      return result;
    } catch (error) {
      const phase = ended.aborted ? "cancelled" : "error";
      publish({ type: "turn", phase, sessionId, message: messageOf(error) });
      throw error;
    }
  }

  async function* compact(
    instructions: string | undefined,
    { signal }: { readonly signal?: AbortSignal } = {},
    onEnd: () => void,
  ): AsyncGenerator<CompactionEvent, void> {
    const end = begin("compact");
    let last: CompactionEvent | null = null;
    try {
      requireIdle("compact");
      const { compactor } = resolved;
      const setting = { checkpointer, log: await openLog(), compactor, instructions };
      const steps = compactSession({ ...setting, signal: withClosing(signal) });
      for await (const event of traceIterable("compact", { sessionId }, steps)) {
        last = event;
        publish(event);
        yield event;
      }
    } finally {
      // Whoever leaves the loop cancels, and listeners hear of it.
      if (last !== null && (last.phase === "start" || last.phase === "progress")) {
        publish({ type: "compaction", phase: "cancelled", sessionId });
      }
      end();
      onEnd();
    }
  }

  async function restore(
    id: string,
    seq: number,
    restoreOptions: RestoreOptions,
  ): Promise<RestoreResult> {
    const store = requireStore();
    requireIdle("restore");
    requireSessionId(id);
    publish({ type: "restore", phase: "start", sessionId: id, targetSeq: seq });
    const signal = withClosing(restoreOptions.signal);
    try {
      const place = { checkpointer: store, workdir, sessionId: id, onEvent: onEventOf(id) };
      const result = await traceSpan("restore", { sessionId: id, seq }, () =>
        restoreSession(place, seq, { ...restoreOptions, signal }),
      );
      publish({ type: "restore", phase: "done", sessionId: id, targetSeq: seq, result });
      return result;
    } catch (error) {
      const phase = signal.aborted ? "cancelled" : "error";
      const message = messageOf(error);
      publish({ type: "restore", phase, sessionId: id, targetSeq: seq, message });
      throw error;
    } finally {
      if (id === sessionId) log = null;
    }
  }

  return {
    get sessionId() {
      return sessionId;
    },
    get isBusy() {
      return work.isBusy || background.size > 0;
    },
    send: (prompt, sendOptions) => alone("send", () => send(prompt, sendOptions)),
    messages: () => alone("read", async () => messagesOf((await openLog()).state.conversation)),
    resume: (id) =>
      alone("resume", async () => {
        const store = requireStore();
        requireIdle("resume");
        requireSessionId(id);
        if ((await store.headToken(id)) === ":0") {
          throw new AgentError("SESSION_UNKNOWN", `No session ${quote(id)}`);
        }
        const before = { sessionId, log };
        sessionId = id;
        log = null;
        try {
          await openLog();
        } catch (error) {
          ({ sessionId, log } = before);
          throw error;
        }
      }),
    clear() {
      const end = begin("clear");
      try {
        requireIdle("clear");
        sessionId = randomUUID();
        log = null;
      } finally {
        end();
      }
    },
    listSessions: async (listOptions) => requireStore().list(listOptions),
    deleteSession: (id) =>
      alone("delete a session", async () => {
        const store = requireStore();
        requireIdle("delete a session");
        await store.delete(id);
        if (id !== sessionId) return;
        sessionId = randomUUID();
        log = null;
      }),
    compact(instructions, compactOptions) {
      const run = compact(instructions, compactOptions, () => void compactions.delete(run));
      compactions.add(run);
      return run;
    },
    listCheckpoints: async (id) => {
      requireSessionId(id);
      return listCheckpoints(requireStore(), id);
    },
    restore: (id, seq, restoreOptions = {}) =>
      alone("restore", () => restore(id, seq, restoreOptions)),
    subscribe,
    idle: () => background.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    if (!closing.signal.aborted)
      closing.abort(new AgentError("AGENT_CLOSED", "The agent was closed"));
    // One that nobody pulls any more would never end by itself.
    for (const run of compactions) await run.return();
    await work.ended();
    await background.stop();
    if (resolved.ownsCheckpointer) await checkpointer?.close();
  }
}

function requirePrompt(prompt: unknown): void {
  if (isContent(prompt) && prompt.length > 0) return;
  throw new TypeError("prompt: wanted text, or blocks of a message");
}
