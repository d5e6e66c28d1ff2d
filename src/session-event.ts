/**
 * The events an agent session is made of. This is the default event type; a `Checkpointer` is
 * generic and stores any JSON object. Fields and types that are not listed here are kept untouched.
 */
export type SessionEvent =
  | UserEvent
  | AssistantEvent
  | ToolStartedEvent
  | ToolResultEvent
  | FileSnapshotEvent
  | SummaryEvent
  | BackgroundStartedEvent
  | BackgroundCompletedEvent
  | PermissionDecisionEvent
  | RestoreStartedEvent
  | RestoredEvent;

/** Anything that can be appended: a JSON object. */
export type EventObject = object;

/** A message to the model that the model did not write. */
export interface UserEvent {
  readonly type: "user";
  readonly content: MessageContent;
  /** `"input"` marks what a person really typed; reminders and repairs say otherwise. */
  readonly origin?: "input" | "reminder" | "repair" | undefined;
}

/** A message of the model, whole. */
export interface AssistantEvent {
  readonly type: "assistant";
  readonly content: MessageContent;
  readonly model?: string | undefined;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** The model was cut off, by an abort or a broken connection; `content` is what had arrived. */
  readonly interrupted?: boolean | undefined;
}

/** A tool call is about to run. */
export interface ToolStartedEvent {
  readonly type: "tool_started";
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a tool call gave back; every started call gets one, an interrupted call included. */
export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly callId: string;
  readonly output: unknown;
  readonly isError?: boolean | undefined;
}

/** The state of a file before a tool, or a restore, changes it. Durable before the file is touched. */
export interface FileSnapshotEvent {
  readonly type: "file_snapshot";
  /** Relative to the working directory, with `/` between names. */
  readonly path: string;
  /** The bytes before the change; absent is a state too. */
  readonly before: FileImage;
  /** SHA-256 of the file after the change, hexadecimal; null when the change deletes it. */
  readonly afterHash: string | null;
  /** The tool call that makes the change. */
  readonly callId?: string | undefined;
}

/**
 * A file at one moment. `hash` is the SHA-256 of its bytes in hexadecimal, `mode` its permission bits.
 * `stored` refers to the bytes of an earlier snapshot of the same session, which has the same hash;
 * `truncated` says that the file was over the limit and its bytes were not kept.
 */
export type FileImage =
  | { readonly state: "absent" }
  | {
      readonly state: "text";
      readonly text: string;
      readonly mode: number;
      readonly hash?: string | undefined;
    }
  | {
      readonly state: "base64";
      readonly base64: string;
      readonly mode: number;
      readonly hash?: string | undefined;
    }
  | { readonly state: "stored"; readonly hash: string; readonly mode: number }
  | { readonly state: "truncated"; readonly bytes: number; readonly mode: number };

/** A compaction boundary: from here on the model sees `summary` instead of what came before. */
export interface SummaryEvent {
  readonly type: "summary";
  readonly summary: string;
  /** Last seq the summary covers. */
  readonly throughSeq: number;
}

/** Work that runs beside the conversation has begun. */
export interface BackgroundStartedEvent {
  readonly type: "background_started";
  readonly taskId: string;
  readonly name: string;
}

/** Work that ran beside the conversation has ended. */
export interface BackgroundCompletedEvent {
  readonly type: "background_completed";
  readonly taskId: string;
  readonly output: unknown;
  readonly isError?: boolean | undefined;
}

/** A person or a policy decided about a tool call. */
export interface PermissionDecisionEvent {
  readonly type: "permission_decision";
  readonly callId: string;
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/**
 * A restore is about to change something: its intent, with which an interrupted one is finished later. The
 * snapshots right before it, from `firstSnapshotSeq` on, hold the files as they were.
 */
export interface RestoreStartedEvent {
  readonly type: "restore_started";
  /** Files and conversation go back to just before this seq. */
  readonly targetSeq: number;
  readonly files: boolean;
  readonly conversation: boolean;
  /** Of the snapshots that belong to it; its own seq when there are none. */
  readonly firstSnapshotSeq: number;
  /** The session that gets what is cut off; null when nothing is cut off. */
  readonly branchId: string | null;
  /** Whether that session stays. */
  readonly keep: boolean;
  /** Part of the names of the temporary files. */
  readonly workId: string;
}

/** A restore has ended. Nothing was restored when `restoredFiles` is empty and `conversationRestored` false. */
export interface RestoredEvent {
  readonly type: "restored";
  readonly targetSeq: number;
  readonly restoredFiles: readonly string[];
  readonly conversationRestored: boolean;
}

/** Plain text, or blocks as the model's vendor shapes them. */
export type MessageContent =
  string | ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>;
