import { quote, type FileSnapshotEvent } from "../../src/index.ts";
import { agentLimits } from "../agent-limits.ts";
import { imageOf } from "./file-image.ts";
import { sha256 } from "../sha256.ts";
import { readFileState, type FileState } from "./file-state.ts";
import { replaceFile } from "./replace-file.ts";
import { requireWritable, workspacePath } from "./workspace-path.ts";

/** A change of one file, and who has to hear of it first. */
export interface FileChange {
  readonly path: string;
  readonly callId: string;
  readonly change: (before: Uint8Array | null) => Uint8Array | null;
  /** Whether the session holds the bytes with this hash already. */
  readonly isStored: (hash: string) => boolean;
  /** Makes the snapshot durable. The file is not touched when this fails. */
  readonly record: (snapshot: FileSnapshotEvent) => Promise<unknown>;
  /** Part of the temporary file's name. */
  readonly workId: string;
}

/** Changes a file so that it can be changed back: see `ToolContext.changeFile`. */
export async function changeFile(workdir: string, wanted: FileChange): Promise<void> {
  const place = workspacePath(workdir, wanted.path);
  await requireWritable(workdir, place);
  const before = await readFileState(place.absolute, agentLimits.maxToolFileBytes);
  if (before !== null && before.bytes === null) {
    throw new Error(`${quote(place.name)} is too large for a tool: ${before.size} bytes`);
  }
  const after = wanted.change(before?.bytes ?? null);
  if (before === null && after === null) return;
  const image = imageOf(withinLimit(before), wanted.isStored);
  const afterHash = after === null ? null : sha256(after);
  const { callId } = wanted;
  await wanted.record({
    type: "file_snapshot",
    path: place.name,
    before: image,
    afterHash,
    callId,
  });
  // The snapshot says what the file was; a change that came in between would be lost without a trace.
  const now = await readFileState(place.absolute, 0);
  if (now?.hash !== before?.hash) {
    throw new Error(`${quote(place.name)} was changed by somebody else meanwhile`);
  }
  const next = after === null ? null : { bytes: after, mode: before?.mode ?? null };
  await replaceFile(place.absolute, next, wanted.workId);
}

/** The same state without bytes that a snapshot would not keep. */
function withinLimit(state: FileState | null): FileState | null {
  if (state === null || state.size <= agentLimits.maxSnapshotBytes) return state;
  return { ...state, bytes: null };
}
