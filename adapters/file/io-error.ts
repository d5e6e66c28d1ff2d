import { CheckpointError, isCheckpointError, quote } from "../../src/index.ts";
import { errorCode } from "./file-port.ts";

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk failed",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENOTDIR: "a part of the path is not a directory",
};

/** Wraps a file system error once; errors of the kit and caller mistakes pass unchanged. */
export function wrapIoError(error: unknown, action: string, sessionId?: string): unknown {
  if (isCheckpointError(error) || errorCode(error) === undefined) return error;
  const code = errorCode(error) ?? "";
  const what = sessionId === undefined ? action : `${action} session ${quote(sessionId)}`;
  const why = sentences[code] ?? "the file system refused";
  return new CheckpointError("IO_FAILED", `Cannot ${what}: ${why} (${code})`, { cause: error });
}
