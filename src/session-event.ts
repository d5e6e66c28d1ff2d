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
  | BackgroundCompletedEvent
  | PermissionDecisionEvent;

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

/** The state of a file before a tool changes it. */
export interface FileSnapshotEvent {
  readonly type: "file_snapshot";
  readonly path: string;
  /** The bytes before the change; absent is a state too. */
  readonly before:
    | { readonly state: "absent" }
    | { readonly state: "text"; readonly text: string; readonly mode: number }
    | { readonly state: "base64"; readonly base64: string; readonly mode: number }
    | { readonly state: "truncated"; readonly bytes: number; readonly mode: number };
  /** SHA-256 of the file after the change, hexadecimal; null when the change deletes it. */
  readonly afterHash: string | null;
}

/** A compaction boundary: from here on the model sees `summary` instead of what came before. */
export interface SummaryEvent {
  readonly type: "summary";
  readonly summary: string;
  /** Last seq the summary covers. */
  readonly throughSeq: number;
}

/** Work that ran beside the conversation has ended. */
export interface BackgroundCompletedEvent {
  readonly type: "background_completed";
  readonly taskId: string;
  readonly output: unknown;
}

/** A person or a policy decided about a tool call. */
export interface PermissionDecisionEvent {
  readonly type: "permission_decision";
  readonly callId: string;
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Plain text, or blocks as the model's vendor shapes them. */
export type MessageContent =
  string | ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>;
