import { createHash } from "node:crypto";
import { constants, open, type FileHandle } from "node:fs/promises";
import { sha256 } from "../sha256.ts";
import { unlessMissing } from "./unless-missing.ts";

/** A regular file as it is on disk. */
export interface FileState {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly hash: string;
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  /** Null when the file is larger than the caller wanted to hold. */
  readonly bytes: Uint8Array | null;
}

/**
 * What a file is now; null when it is absent. A symbolic link is not followed.
 *
 * @param maxBytes - a larger file is hashed and not held
 */
export async function readFileState(path: string, maxBytes: number): Promise<FileState | null> {
  const file = await unlessMissing(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === null) return null;
  try {
    const { size, mode } = await file.stat();
    const permissions = mode & 0o7777;
    if (size > maxBytes) {
      return { hash: await hashOf(file), mode: permissions, size, bytes: null };
    }
    const bytes = await file.readFile();
    return { hash: sha256(bytes), mode: permissions, size: bytes.length, bytes };
  } finally {
    await file.close();
  }
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    hash.update(chunk as Uint8Array);
  }
  return hash.digest("hex");
}
