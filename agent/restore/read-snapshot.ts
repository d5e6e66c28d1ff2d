import type { Checkpointer } from "../../src/index.ts";
import { bytesOf } from "../workspace/file-image.ts";
import { sha256 } from "../workspace/file-state.ts";
import type { PastFile } from "./session-history.ts";

/**
 * The bytes of a past file.
 *
 * @throws Error when the session does not hold them, or others than it says
 */
export async function readSnapshot(
  checkpointer: Checkpointer,
  sessionId: string,
  file: PastFile | null,
): Promise<Uint8Array> {
  const { bytesAt = 0, hash } = file ?? {};
  const range = { sinceSeq: Math.max(0, bytesAt - 1), limit: 1 };
  for await (const { event } of checkpointer.read(sessionId, range)) {
    const bytes = event.type === "file_snapshot" ? bytesOf(event.before) : null;
    if (bytes !== null && sha256(bytes) === hash) return bytes;
  }
  throw new Error(`the snapshot at ${bytesAt} does not hold the bytes it says`);
}
