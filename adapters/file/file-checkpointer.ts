import {
  createCheckpointer,
  type Anchor,
  type Checkpointer,
  type Codec,
  type EventObject,
  type SessionEvent,
} from "../../src/index.ts";
import { fileStore } from "./file-store.ts";
import type { FileStoreOptions } from "./resolve-options.ts";

/** Options of {@link fileCheckpointer}. */
export interface FileCheckpointerOptions extends Omit<FileStoreOptions, "pipeline"> {
  /** Seals every record. Left out: records are plain JSON that people can read. */
  readonly codec?: Codec | undefined;
  /** Remembers the end of each log elsewhere; see `Anchor`. Needs a codec that authenticates. */
  readonly anchor?: Anchor | undefined;
}

/**
 * A checkpointer that keeps one JSONL file a session in a directory. Any number of handles and
 * processes on one machine may use it at once. Nothing is created before the first append.
 *
 * @throws TypeError or RangeError for bad options
 * @example
 * ```ts
 * const checkpointer = fileCheckpointer({ dir: "./sessions" });
 * await checkpointer.append("session", [{ type: "user", content: "hello" }]);
 * await checkpointer.close();
 * ```
 */
export function fileCheckpointer<E extends EventObject = SessionEvent>(
  options: FileCheckpointerOptions,
): Checkpointer<E> {
  const { codec, anchor, ...rest } = options;
  return createCheckpointer<E>(fileStore({ ...rest, pipeline: codec?.id }), { codec, anchor });
}
