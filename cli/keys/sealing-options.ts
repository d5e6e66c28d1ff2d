import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { codecNames, defaultCodec, needsKey, requireCodecName } from "./codec-option.ts";
import type { CodecName } from "./codec-option.ts";
import { anchorShapes, parseAnchor, type AnchorPlace } from "./anchor-spec.ts";
import { keyStoreShapes, parseKeyStore, type KeyStorePlace } from "./key-store-spec.ts";

/** The options that say how records are sealed, as they were typed. */
export interface SealingOptions {
  readonly keyFile?: string | undefined;
  readonly password?: boolean | undefined;
  readonly codec?: string | undefined;
  readonly keyStore?: string | undefined;
  readonly anchor?: string | undefined;
}

/** {@link SealingOptions}, checked; nothing was read yet. */
export interface SealingPlan {
  /** null: no key. */
  readonly keyFile: string | null;
  readonly mustBeVault: boolean;
  /** null: records are plain. */
  readonly codec: CodecName | null;
  readonly keyStore: KeyStorePlace | null;
  readonly anchor: AnchorPlace | null;
}

/** What `--key-file` takes for "no key", against the environment. */
export const noKeyFile = "none";

/** Adds the options to the program, so that they may stand before and after a command's name. */
export function addSealingOptions(program: Command): void {
  program
    .option(
      "--key-file <path>",
      `keys of a sealed store, or ${noKeyFile} (default: CHECKPOINTER_KEY_FILE)`,
    )
    .option("--password", "insist on a key file with a password; with keygen: make one")
    .option(
      "--codec <pipeline>",
      `how records are sealed: ${codecNames.join(", ")} ` +
        `(default: CHECKPOINTER_CODEC, else with a key ${defaultCodec})`,
    )
    .option(
      "--key-store <spec>",
      "where each session has its own key, wrapped under the key file's: " +
        `${keyStoreShapes} (default: CHECKPOINTER_KEY_STORE)`,
    )
    .option(
      "--anchor <place>",
      `hold every log against the end remembered there: ${anchorShapes} ` +
        "(default: CHECKPOINTER_ANCHOR)",
    );
}

/** The options of a command, completed from the environment. */
export function sealingOptionsOf({ io }: Context, command: Command): SealingOptions {
  const options = command.optsWithGlobals<SealingOptions>();
  const variable = (name: string): string | undefined => {
    const value = io.env[`CHECKPOINTER_${name}`];
    return value === "" ? undefined : value;
  };
  const keyFile = options.keyFile ?? variable("KEY_FILE");
  // What is set for the sealed store does not concern a command that is told to do without a key.
  if (keyFile === noKeyFile) return { ...options, keyFile };
  return {
    ...options,
    keyFile,
    codec: options.codec ?? variable("CODEC"),
    keyStore: options.keyStore ?? variable("KEY_STORE"),
    anchor: options.anchor ?? variable("ANCHOR"),
  };
}

/**
 * Checks what goes together.
 *
 * @throws CliError for options that would seal less than they seem to
 */
export function planSealing(options: SealingOptions): SealingPlan {
  const { keyFile = noKeyFile, codec, keyStore, anchor } = options;
  // A script's empty variable must not turn encryption off.
  if (keyFile === "") throw usage(`--key-file: wanted a path or ${noKeyFile}, met nothing`);
  const place = anchor === undefined ? null : parseAnchor(anchor);
  const hasKey = keyFile !== noKeyFile;
  const name = codec === undefined ? (hasKey ? defaultCodec : null) : requireCodecName(codec);
  const seals = name !== null && needsKey(name);
  if (seals && !hasKey) throw usage(`--codec ${name}: wanted a key, name it with --key-file`);
  if (hasKey && !seals) {
    throw usage(`--codec ${String(name)} encrypts nothing; with --key-file ${noKeyFile} it may`);
  }
  if (!hasKey && keyStore !== undefined) {
    throw usage("--key-store: wanted a key to wrap with, name it with --key-file");
  }
  if (!hasKey && place !== null) {
    throw usage("--anchor: wanted sealed records, name their key with --key-file");
  }
  if (!hasKey && options.password === true) {
    throw usage("--password: wanted a key file with a vault, name it with --key-file");
  }
  return {
    keyFile: hasKey ? keyFile : null,
    mustBeVault: options.password === true,
    codec: name,
    keyStore: keyStore === undefined ? null : parseKeyStore(keyStore),
    anchor: place,
  };
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
