import type { Checkpointer, StoredEvent } from "../../src/index.ts";
import { bytesOf } from "../workspace/file-image.ts";
import { sha256 } from "../sha256.ts";
import type { PastFile } from "./session-history.ts";

/** Reads the bytes of past files from a session; cheapest in the order in which they were recorded. */
export interface SnapshotReader extends AsyncDisposable {
  /** @throws Error when the session does not hold the bytes, or others than it says */
  read(file: PastFile | null): Promise<Uint8Array>;
}

/** Events that are read past sooner than a store finds a place anew. */
const worthSkipping = 200;

/** Nothing is read before the first file is. */
export function snapshotReader(checkpointer: Checkpointer, sessionId: string): SnapshotReader {
  let events: AsyncIterator<StoredEvent> | null = null;
  let position = 0;

  async function eventAt(seq: number): Promise<StoredEvent | null> {
    if (events === null || seq <= position || seq - position > worthSkipping) {
      await close();
      events = checkpointer.read(sessionId, { sinceSeq: seq - 1 })[Symbol.asyncIterator]();
    }
    for (;;) {
      const next = await events.next();
      if (next.done === true) return null;
      position = next.value.seq;
      if (position >= seq) return next.value;
    }
  }

  async function close(): Promise<void> {
    await events?.return?.();
    events = null;
  }

  return {
    async read(file) {
      const { bytesAt, hash } = file ?? {};
      const stored = bytesAt === undefined ? null : await eventAt(bytesAt);
      const event = stored?.event;
      const bytes = event?.type === "file_snapshot" ? bytesOf(event.before) : null;
      if (bytes !== null && sha256(bytes) === hash) return bytes;
      throw new Error(`the snapshot at ${bytesAt ?? 0} does not hold the bytes it says`);
    },
    [Symbol.asyncDispose]: close,
  };
}
