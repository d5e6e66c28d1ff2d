import { createHash } from "node:crypto";
import { join } from "node:path";

/** Where everything of one session lives. Only `log` outlasts a change. */
export interface SessionFiles {
  /** `<name>.jsonl`, the log itself. */
  readonly log: string;
  /** `<name>.lock`, the directory of the lock library. */
  readonly lock: string;
  /** `<name>.owner`, which holds one directory for the writer that owns the log. */
  readonly owner: string;
  /** `<name>.want`, left by a writer that waits for the lock. */
  readonly want: string;
}

const extension = ".jsonl";

/** The longest name without extension; file systems stop at 255 bytes. */
const maxNameLength = 180;
const hashedPrefixLength = 100;

/** Names that Windows gives to devices, whatever the extension. */
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The files of a session in a store's directory. */
export function sessionFiles(directory: string, sessionId: string): SessionFiles {
  const name = encodeName(sessionId);
  return {
    log: join(directory, name + extension),
    lock: join(directory, `${name}.lock`),
    owner: join(directory, `${name}.owner`),
    want: join(directory, `${name}.want`),
  };
}

/**
 * A file name for a session id: one-to-one, and distinct and legal on file systems that ignore case,
 * normalise Unicode, reserve device names or forbid trailing dots. Small ASCII letters, digits, `-`
 * and `_` stand for themselves and every other UTF-8 byte becomes `%` and two digits. A name that
 * would be too long is cut and followed by `~` and the id's SHA-256; the log's header keeps the id.
 */
export function encodeName(sessionId: string): string {
  let name = "";
  for (const byte of Buffer.from(sessionId, "utf8")) {
    name += isLiteral(byte) ? String.fromCharCode(byte) : escapeByte(byte);
  }
  if (deviceName.test(name)) name = escapeByte(name.charCodeAt(0)) + name.slice(1);
  if (name.length <= maxNameLength) return name;
  const hash = createHash("sha256").update(sessionId, "utf8").digest("hex");
  return `${name.slice(0, hashedPrefixLength).replace(/%.?$/, "")}~${hash}`;
}

/**
 * The session id of a log's file name.
 *
 * @returns null when only the header knows (a hashed name); undefined when the name is not one that
 * `encodeName` makes, so that the file is none of ours
 */
export function decodeName(fileName: string): string | null | undefined {
  if (!fileName.endsWith(extension)) return undefined;
  const name = fileName.slice(0, -extension.length);
  if (/^[a-z0-9_%-]{1,100}~[0-9a-f]{64}$/.test(name)) return null;
  let id: string;
  try {
    id = decodeURIComponent(name);
  } catch {
    return undefined;
  }
  // Only the canonical spelling is ours; `%61` for `a` would make two names for one session.
  return id.length > 0 && !id.includes("\0") && encodeName(id) === name ? id : undefined;
}

function isLiteral(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x5f
  );
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).padStart(2, "0")}`;
}
