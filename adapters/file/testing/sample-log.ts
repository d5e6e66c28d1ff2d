import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isCheckpointError,
  type Checkpointer,
  type ErrorCode,
  type VerifyReport,
} from "../../../src/index.ts";
import { fileCheckpointer, type FileCheckpointerOptions } from "../file-checkpointer.ts";
import { encodeHeader, encodeRecord } from "../record-line.ts";
import { sessionFiles } from "../session-files.ts";

/** An event that is easy to tell from the others. */
export interface SampleEvent {
  readonly id: string;
}

/** A batch of a sample log. */
export interface SampleBatch {
  readonly ids: readonly string[];
  readonly key?: string;
}

/** The bytes of a log and where its lines are. */
export interface SampleLog {
  readonly bytes: Buffer;
  /** Offset of every line, the header's first, and of the end. */
  readonly offsets: readonly number[];
  /** Ids of all events in order. */
  readonly ids: readonly string[];
}

const ts = "2026-01-31T12:00:00.000Z";

/** The text of a sample event as it stands in a log. */
export function textOf(id: string): string {
  return JSON.stringify({ id });
}

/** A log with these batches, as the adapter would have written it. */
export function sampleLog(sessionId: string, batches: readonly SampleBatch[]): SampleLog {
  const generation = "0123456789abcdef0123456789abcdef";
  const header = { version: 1, id: sessionId, generation, pipeline: "plain", created: ts };
  const lines = [encodeHeader(header)];
  let seq = 0;
  for (const { ids, key } of batches) {
    for (const [index, id] of ids.entries()) {
      seq += 1;
      const left = ids.length - 1 - index;
      lines.push(encodeRecord({ seq, ts, left, key, payload: textOf(id) }));
    }
  }
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length);
  return { bytes: Buffer.concat(lines), offsets, ids: batches.flatMap(({ ids }) => ids) };
}

/** What a reader met: everything up to an error, if there was one. */
export interface Reading {
  readonly ids: readonly string[];
  readonly error: ErrorCode | null;
  readonly seq: number | null;
  readonly offset: number | null;
}

/** Reads a session until its end or its damage. */
export async function readSession(
  checkpointer: Checkpointer<SampleEvent>,
  sessionId: string,
  options?: { readonly reverse?: boolean; readonly sinceSeq?: number },
): Promise<Reading> {
  const ids: string[] = [];
  try {
    for await (const { event } of checkpointer.read(sessionId, options)) ids.push(event.id);
    return { ids, error: null, seq: null, offset: null };
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    const { seq = null, offset = null } = error as { seq?: number | null; offset?: number | null };
    return { ids, error: error.code, seq, offset };
  }
}

/** What `verify` says about one session. */
export async function verifyOne(
  checkpointer: Checkpointer<SampleEvent>,
  sessionId: string,
): Promise<VerifyReport | undefined> {
  for await (const report of checkpointer.verify(sessionId)) return report;
  return undefined;
}

/** A store in a temporary directory, removed with everything in it by `await using`. */
export interface TemporaryStore extends AsyncDisposable {
  readonly dir: string;
  /** Puts these bytes where the log of a session is; answers the path. */
  put(sessionId: string, bytes: Uint8Array): string;
  pathOf(sessionId: string): string;
  /** A handle, closed with the store. */
  open(options?: Partial<FileCheckpointerOptions>): Checkpointer<SampleEvent>;
}

export function temporaryStore(): TemporaryStore {
  const dir = mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
  const opened: Array<Checkpointer<SampleEvent>> = [];
  const pathOf = (sessionId: string): string => sessionFiles(dir, sessionId).log;
  return {
    dir,
    pathOf,
    put(sessionId, bytes) {
      const path = pathOf(sessionId);
      writeFileSync(path, bytes);
      return path;
    },
    open(options) {
      // Nothing here depends on syncs, and hundreds of tests would wait for the disk.
      const common = { dir, durability: "process", onTornTail: () => undefined } as const;
      const checkpointer = fileCheckpointer<SampleEvent>({ ...common, ...options });
      opened.push(checkpointer);
      return checkpointer;
    },
    async [Symbol.asyncDispose]() {
      for (const checkpointer of opened) await checkpointer.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
