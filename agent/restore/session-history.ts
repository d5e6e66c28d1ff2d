import {
  quote,
  type Checkpointer,
  type FileSnapshotEvent,
  type StoredEvent,
} from "../../src/index.ts";
import { AgentError } from "../agent-error.ts";
import { isPrompt, promptText } from "../prompts.ts";
import { openSessionLog, type SessionLog, type SessionLogObserver } from "../session-log.ts";
import type { SessionState } from "../session-state.ts";
import { isWellFormed } from "../well-formed.ts";
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
  /** The session, opened where the reading ended; its state knows no conversation. */
  readonly log: SessionLog;
  /** Every place to go back to, oldest first. */
  readonly places: readonly Place[];
  /** Every recorded change of a file, oldest first. */
  readonly snapshots: readonly Snapshot[];
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

/** A file's state before a change, and its hash after it. */
interface Snapshot {
  readonly seq: number;
  readonly path: string;
  readonly before: PastFile | null;
  readonly afterHash: string | null;
}

/**
 * Reads a session. Memory grows with the number of snapshots and the text of prompts, not with anything else.
 *
 * @throws AgentError `SESSION_UNKNOWN`
 */
export async function readHistory(
  checkpointer: Checkpointer,
  sessionId: string,
  { signal, onEvent }: Pick<SessionLogObserver, "signal" | "onEvent"> = {},
): Promise<SessionHistory> {
  const snapshots: Snapshot[] = [];
  const places: Place[] = [];
  const log = await openSessionLog(checkpointer, sessionId, {
    signal,
    onEvent,
    onLoad(stored, state) {
      // Nobody asks for messages here.
      state.conversation = [];
      const { seq, event } = stored;
      if (isTakenBack(stored)) removePlace(places, state);
      const place = placeOf(stored, state);
      if (place !== null) places.push(place);
      if (event.type !== "file_snapshot" || !isWellFormed(event)) return;
      const before = pastFile(seq, event, state.storedBytes);
      snapshots.push({ seq, path: event.path, before, afterHash: event.afterHash });
    },
    onReload() {
      snapshots.length = 0;
      places.length = 0;
    },
  });
  if (log.token === ":0") throw new AgentError("SESSION_UNKNOWN", `No session ${quote(sessionId)}`);
  return { log, places, snapshots, filesSince: (seq) => filesSince(snapshots, seq) };
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

/** Whether the restore before it was taken back: then that is no place to go to. */
function isTakenBack({ event }: StoredEvent): boolean {
  if (event.type !== "restored" || !isWellFormed(event) || event.conversationRestored) return false;
  return event.restoredFiles.length === 0;
}

/** Removes the place of the open restore. Somebody who does not know of it may have spoken since. */
function removePlace(places: Place[], { openRestores }: SessionState): void {
  const [first] = openRestores;
  const index = places.findLastIndex(({ seq }) => seq === first?.firstSnapshotSeq);
  if (index >= 0) places.splice(index, 1);
}

function placeOf({ seq, ts, event }: StoredEvent, state: SessionState): Place | null {
  const unfinishedToolCalls = state.openCalls.size > 0;
  if (isPrompt(event)) return { seq, ts, prompt: promptText(event.content), unfinishedToolCalls };
  // All attempts at one restore leave the place that the first one did.
  if (event.type !== "restore_started" || !isWellFormed(event)) return null;
  if (state.openRestores.length > 0) return null;
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
