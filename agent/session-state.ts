import type { FileSnapshotEvent, RestoreStartedEvent, StoredEvent } from "../src/index.ts";
import { entryOf, type ConversationEntry } from "./conversation.ts";
import { blocksOf, isToolUse } from "./message.ts";
import { isWellFormed } from "./well-formed.ts";

/** What a session's events add up to. {@link foldEvent} changes it in place. */
export interface SessionState {
  head: number;
  /** What the model is told, oldest first. A summary stands for everything it covers. */
  conversation: ConversationEntry[];
  /** Ids of tool calls without a result yet. */
  readonly openCalls: Set<string>;
  /** Ids of background work that has not ended. */
  readonly openTasks: Set<string>;
  /** Where the bytes with a hash are: the seq of the snapshot that holds them. */
  readonly storedBytes: Map<string, number>;
  /** A restore that began and did not end: its attempts, oldest first. Empty: there is none. */
  openRestores: RestoreStartedEvent[];
  /** Tokens the vendor counted for the last request, and how much of the conversation it saw. */
  measured: { readonly tokens: number; readonly throughSeq: number } | null;
  /** Seq of the newest summary. 0: there is none. */
  summaryAt: number;
  /** Files that open calls were about to change, by the call's id. */
  readonly openChanges: Map<string, string[]>;
  /** The restore that ended with the last event; null when something happened since. */
  endedRestore: RestoreStartedEvent | null;
}

/** The state of an empty session. */
export function emptyState(): SessionState {
  return {
    head: 0,
    conversation: [],
    openCalls: new Set(),
    openTasks: new Set(),
    storedBytes: new Map(),
    openRestores: [],
    measured: null,
    summaryAt: 0,
    openChanges: new Map(),
    endedRestore: null,
  };
}

/** Adds the next event. Events of other programs count and say nothing. */
export function foldEvent(state: SessionState, stored: StoredEvent): void {
  const { seq, event } = stored;
  state.head = seq;
  state.endedRestore = event.type === "restored" ? (state.openRestores.at(-1) ?? null) : null;
  if (!isWellFormed(event)) return;
  switch (event.type) {
    case "assistant":
      for (const block of blocksOf(event.content)) {
        if (isToolUse(block)) state.openCalls.add(block.id);
      }
      if (event.usage !== undefined) {
        const { inputTokens, outputTokens } = event.usage;
        state.measured = { tokens: inputTokens + outputTokens, throughSeq: seq };
      }
      break;
    case "tool_started":
      state.openCalls.add(event.callId);
      break;
    case "tool_result":
      state.openCalls.delete(event.callId);
      state.openChanges.delete(event.callId);
      break;
    case "background_started":
      state.openTasks.add(event.taskId);
      break;
    case "background_completed":
      state.openTasks.delete(event.taskId);
      break;
    case "file_snapshot":
      rememberBytes(state, seq, event);
      if (event.callId !== undefined) {
        const paths = state.openChanges.get(event.callId) ?? [];
        state.openChanges.set(event.callId, [...paths, event.path]);
      }
      break;
    case "restore_started":
      // In the branch it made, a restore has done all it was to do.
      if (event.branchId === stored.sessionId) state.openRestores = [];
      else state.openRestores.push(event);
      break;
    case "restored":
      state.openRestores = [];
      break;
    case "summary":
      state.conversation = state.conversation.filter((entry) => entry.seq > event.throughSeq);
      state.summaryAt = seq;
      state.measured = null;
      break;
    default:
  }
  const entry = entryOf(stored);
  if (entry === null) return;
  // A summary goes before what it leaves standing.
  if (event.type === "summary") state.conversation.unshift(entry);
  else state.conversation.push(entry);
}

function rememberBytes(state: SessionState, seq: number, { before }: FileSnapshotEvent): void {
  const holdsBytes = before.state === "text" || before.state === "base64";
  if (holdsBytes && before.hash !== undefined && !state.storedBytes.has(before.hash)) {
    state.storedBytes.set(before.hash, seq);
  }
}
