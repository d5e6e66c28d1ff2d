import {
  quote,
  type Checkpointer,
  type FileSnapshotEvent,
  type StoredEvent,
} from "../../src/index.ts";
import { AgentError } from "../agent-error.ts";
import { isPrompt, promptText } from "../prompts.ts";
import { emptyState, foldEvent } from "../session-state.ts";
import { hashOfImage } from "../workspace/file-image.ts";

/** A file at one moment of a session's past. */
export interface PastFile {
  /** SHA-256; undefined when the snapshot kept neither bytes nor hash. */
  readonly hash: string | undefined;
  readonly mode: number;
  /** Seq of the snapshot that holds the bytes; undefined when none does. */
  readonly bytesAt: number | undefined;
}

/** What a session recorded of one file since a checkpoint. */
export interface FileHistory {
  /** The file just before the first change; null: absent. */
  readonly first: PastFile | null;
  /** SHA-256 after the last change, and just before it; null: absent, undefined: nobody knows. */
  readonly lastHashes: readonly (string | null | undefined)[];
}

/** A session read once, with everything a restore has to know but the bytes of files. */
export interface SessionHistory {
  /** Every place to go back to, oldest first. */
  readonly places: readonly Place[];
  /** What happened to files from a seq on, by path. */
  readonly filesSince: (seq: number) => ReadonlyMap<string, FileHistory>;
}

/** A place a session can go back to: just before one of a person's prompts, or before a restore. */
export interface Place {
  /** Of the prompt; files and conversation go back to just before it. */
  readonly seq: number;
  /** What the person typed; for a restore what it did. */
  readonly prompt: string;
  /** When, ISO 8601. */
  readonly ts: string;
  /** Tool calls were without a result here: the conversation cannot be cut at this place. */
  readonly unfinishedToolCalls: boolean;
}

interface Snapshot {
  readonly seq: number;
  readonly path: string;
  readonly before: PastFile | null;
  readonly afterHash: string | null;
}

/**
 * Reads a session. Memory grows with the number of snapshots and prompts, not with what is in them.
 *
 * @throws AgentError `SESSION_UNKNOWN`
 */
export async function readHistory(
  checkpointer: Checkpointer,
  sessionId: string,
  signal: AbortSignal | undefined,
): Promise<SessionHistory> {
  const state = emptyState();
  const snapshots: Snapshot[] = [];
  const places: Place[] = [];
  for await (const stored of checkpointer.read(sessionId, { signal })) {
    const place = placeOf(stored, state.openCalls.size > 0);
    if (place !== null) places.push(place);
    else if (didNothing(stored)) places.pop();
    foldEvent(state, stored);
    // Nobody asks for messages here.
    state.conversation = [];
    const { seq, event } = stored;
    if (event.type !== "file_snapshot") continue;
    const before = pastFile(seq, event, state.storedBytes);
    snapshots.push({ seq, path: event.path, before, afterHash: event.afterHash });
  }
  if (state.head === 0) throw new AgentError("SESSION_UNKNOWN", `No session ${quote(sessionId)}`);
  return { places, filesSince: (seq) => filesSince(snapshots, seq) };
}

/** Whether the bytes of a past file are in the session. */
export function isAvailable(file: PastFile | null): boolean {
  return file === null || file.bytesAt !== undefined;
}

function filesSince(
  snapshots: readonly Snapshot[],
  since: number,
): ReadonlyMap<string, FileHistory> {
  const files = new Map<string, FileHistory>();
  for (const { seq, path, before, afterHash } of snapshots) {
    if (seq < since) continue;
    const known = files.get(path);
    const first = known === undefined ? before : known.first;
    files.set(path, { first, lastHashes: [afterHash, before === null ? null : before.hash] });
  }
  return files;
}

/** Whether the restore before it was taken back: then it is no place to go to. */
function didNothing({ event }: StoredEvent): boolean {
  if (event.type !== "restored" || event.conversationRestored) return false;
  return event.restoredFiles.length === 0;
}

function placeOf({ seq, ts, event }: StoredEvent, unfinishedToolCalls: boolean): Place | null {
  if (isPrompt(event)) return { seq, ts, prompt: promptText(event.content), unfinishedToolCalls };
  if (event.type !== "restore_started") return null;
  const prompt = `(before going back to ${event.targetSeq})`;
  return { seq: event.firstSnapshotSeq, ts, prompt, unfinishedToolCalls };
}

function pastFile(
  seq: number,
  { before }: FileSnapshotEvent,
  storedBytes: ReadonlyMap<string, number>,
): PastFile | null {
  switch (before.state) {
    case "absent":
      return null;
    case "truncated":
      return { hash: undefined, mode: before.mode, bytesAt: undefined };
    case "stored":
      return { hash: before.hash, mode: before.mode, bytesAt: storedBytes.get(before.hash) };
    default:
      return { hash: hashOfImage(before) ?? undefined, mode: before.mode, bytesAt: seq };
  }
}
