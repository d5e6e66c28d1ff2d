import type { SessionEvent } from "../src/index.ts";
import type { RestoreResult } from "./restore/restore-session.ts";

/** What happens in an agent, as it happens. `subscribe`, `query` and `compact` hand over the same objects. */
export type AgentEvent =
  | TurnEvent
  /** The next characters of the model's answer, or of what it thinks. What is kept comes as `appended`. */
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** An event became durable (with `sessions: false`: took its place). */
  | {
      readonly type: "appended";
      readonly sessionId: string;
      readonly seq: number;
      readonly event: SessionEvent;
    }
  | CompactionEvent
  | RestoreProgressEvent;

/** A turn begins or ends. */
export interface TurnEvent {
  readonly type: "turn";
  readonly phase: "start" | "done" | "error" | "cancelled";
  readonly sessionId: string;
  /** With `error`: its message. */
  readonly message?: string | undefined;
}

/** A compaction goes on. */
export interface CompactionEvent {
  readonly type: "compaction";
  readonly phase: "start" | "progress" | "done" | "error" | "cancelled";
  /** What is being done; absent at the start and after the end. */
  readonly stage?: CompactionStage | undefined;
  readonly sessionId: string;
  /** In `archive`: events that were read back, of `total`. */
  readonly completed?: number | undefined;
  readonly total?: number | undefined;
  /** Of the conversation before (`measure`) or after (`project`, `done`). */
  readonly tokens?: TokenCount | undefined;
  /** With `done`: whether a summary was appended; nothing new to summarize is no error. */
  readonly changed?: boolean | undefined;
  /** With `error`: its message. */
  readonly message?: string | undefined;
}

/**
 * `measure` the conversation; `archive`: read back every event the summary will stand for, so that none of it is
 * lost behind a summary unnoticed; `normalize` it for a summarizing model; `summarize`; `project` the new
 * conversation; `persist` the summary.
 */
export type CompactionStage =
  "measure" | "archive" | "normalize" | "summarize" | "project" | "persist";

/** A number of tokens. */
export interface TokenCount {
  readonly count: number;
  /** Whether the vendor counted all of it, or some of it is a rule of thumb. */
  readonly by: "measured" | "estimated";
}

/** A restore begins or ends. */
export interface RestoreProgressEvent {
  readonly type: "restore";
  readonly phase: "start" | "done" | "error" | "cancelled";
  readonly sessionId: string;
  readonly targetSeq: number;
  /** With `done`. */
  readonly result?: RestoreResult | undefined;
  /** With `error`: its message. */
  readonly message?: string | undefined;
}
