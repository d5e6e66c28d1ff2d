import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";

/** What a key may be used for. */
type KeyState = "primary" | "decrypt-only" | "disabled";

/** A line of a key file that holds a key. */
export interface KeyLine {
  readonly state: KeyState;
  /** The key in base64, or a password vault. Goes into no message. */
  readonly secret: string;
  /** 1-based. */
  readonly number: number;
}

const states: readonly string[] = ["primary", "decrypt-only", "disabled"] satisfies KeyState[];

/** What `withPrimary` writes above a key. */
const ownComment = /^# key [0-9a-f]{16}, /;

/** Whether a key stands behind a password. */
export function isVault(secret: string): boolean {
  return secret.startsWith("$ckpt-");
}

/**
 * The keys in the text of a key file, each `<state> <key>` on a line of its own; a key alone is the
 * primary, and lines that are empty or begin with `#` say nothing.
 *
 * @param file - its name for messages, which never repeat what is in it
 * @throws CliError for any other line, and unless there is one primary
 */
export function parseKeyLines(text: string, file: string): readonly KeyLine[] {
  const keys: KeyLine[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    const number = index + 1;
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]?.startsWith("#") === true) continue;
    const [state = "", secret = "", ...rest] = words.length === 1 ? ["primary", ...words] : words;
    if (!states.includes(state) || rest.length > 0 || states.includes(secret)) {
      const wanted = `wanted "primary", "decrypt-only" or "disabled" and a key`;
      throw new CliError(exitCodes.failed, `${file}, line ${number}: ${wanted}`);
    }
    if (state === "primary" && keys.some((key) => key.state === "primary")) {
      throw new CliError(exitCodes.failed, `${file}, line ${number}: a second primary key`);
    }
    keys.push({ state: state as KeyState, secret, number });
  }
  if (keys.some(({ state }) => state === "primary")) return keys;
  throw new CliError(exitCodes.failed, `${file}: there is no primary key in it`);
}

/** The text with a new primary key; the one before only decrypts from now on. */
export function withPrimary(
  text: string,
  added: { readonly secret: string; readonly id: string; readonly date: string },
): string {
  const keys = parseKeyLines(text, "");
  const lines = linesOf(text).map((line, index) => {
    const key = keys.find(({ number }) => number === index + 1);
    return key?.state === "primary" ? `decrypt-only ${key.secret}` : line;
  });
  return joinLines([`# key ${added.id}, ${added.date}`, `primary ${added.secret}`, ...lines]);
}

/** The text without the keys that only decrypt. */
export function withoutDecryptOnly(text: string): string {
  const dropped = parseKeyLines(text, "")
    .filter(({ state }) => state === "decrypt-only")
    .map(({ number }) => number);
  const lines = linesOf(text).filter((line, index) => {
    const number = index + 1;
    const isAbove = dropped.includes(number + 1) && ownComment.test(line);
    return !dropped.includes(number) && !isAbove;
  });
  return joinLines(lines);
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, "")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
}

function joinLines(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
