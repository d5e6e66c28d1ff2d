import { resolve } from "node:path";
import type { SecretKey } from "../../codecs/index.ts";
import { isCheckpointError } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { askSecret } from "../input/ask-secret.ts";
import { readKeyFile, showKeyFile } from "./key-file.ts";
import { isVault, parseKeyLines, type KeyLine } from "./key-lines.ts";

/** The keys of a key file. */
export interface Keys {
  readonly primary: SecretKey;
  readonly decryptOnly: readonly SecretKey[];
  readonly disabled: readonly SecretKey[];
}

/** A key file that was read, and whose password vaults were opened. */
export interface OpenKeyFile extends Keys {
  readonly path: string;
  /** What is in it. Goes into no message. */
  readonly text: string;
  /** The password of its primary key; null when that is none of a vault. */
  readonly password: string | null;
}

/**
 * Reads a key file and asks for its password when there is a vault in it; once, since all vaults of
 * a file have the same.
 *
 * @param mustBeVault - refuse a file without a vault
 * @throws CliError with the number of the line that is at fault
 */
export async function openKeyFile(
  context: Context,
  path: string,
  mustBeVault = false,
): Promise<OpenKeyFile> {
  const text = await readKeyFile(path);
  const file = showKeyFile(path);
  const lines = parseKeyLines(text, file);
  const hasVault = lines.some(({ secret }) => isVault(secret));
  if (mustBeVault && !hasVault) {
    throw new CliError(exitCodes.usage, `--password: there is no password vault in ${file}`);
  }
  const known = context.passwords.get(resolve(path));
  const password = hasVault ? (known ?? (await askSecret(context, `Password of ${file}`))) : null;
  const keys = new Map<string, { line: KeyLine; key: SecretKey }>();
  for (const line of lines) {
    const key = await openLine(line, file, password ?? "");
    const same = keys.get(key.id)?.line.number;
    if (same !== undefined) {
      const detail = `the same key as in line ${same}`;
      throw new CliError(exitCodes.failed, `${file}, line ${line.number}: ${detail}`);
    }
    keys.set(key.id, { line, key });
  }
  if (password !== null) context.passwords.set(resolve(path), password);
  const inState = (state: KeyLine["state"]): SecretKey[] => {
    return [...keys.values()].filter(({ line }) => line.state === state).map(({ key }) => key);
  };
  const [primary] = inState("primary") as [SecretKey];
  const isBehindPassword = lines.some(({ state, secret }) => {
    return state === "primary" && isVault(secret);
  });
  return {
    path,
    text,
    password: isBehindPassword ? password : null,
    primary,
    decryptOnly: inState("decrypt-only"),
    disabled: inState("disabled"),
  };
}

async function openLine(line: KeyLine, file: string, password: string): Promise<SecretKey> {
  const { openPasswordVault, secretKey } = await import("../../codecs/index.ts");
  const place = `${file}, line ${line.number}`;
  try {
    return isVault(line.secret)
      ? await openPasswordVault({ vault: line.secret, password })
      : await secretKey(line.secret);
  } catch (error) {
    if (isCheckpointError(error)) {
      throw new CliError(exitCodeOf(error), `${place}: ${error.message} (${error.code})`);
    }
    // A TypeError says what it met, which is more than anybody needs to know.
    const wanted = isVault(line.secret)
      ? "a password of 1 to 4,096 bytes without control characters"
      : "a key of 32 bytes in base64, or a password vault";
    throw new CliError(exitCodes.failed, `${place}: wanted ${wanted}`);
  }
}
