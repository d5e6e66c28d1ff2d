import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { noKeyFile, type SealingOptions } from "./sealing-options.ts";

/** The options of `copy` that say how the copy is sealed. */
export interface TargetOptions {
  readonly toKeyFile?: string | undefined;
  readonly toCodec?: string | undefined;
  readonly toKeyStore?: string | undefined;
  readonly toAnchor?: string | undefined;
}

/**
 * How a copy is sealed. Within one store it is sealed as the original is, unless a `--to-` option
 * says otherwise. In another store only what is said counts: a sealed original never becomes plain,
 * nor does its key come along, without `--to-key-file`.
 *
 * @throws CliError when a sealed store is copied to another one and nothing says how
 */
export function targetSealing(
  source: SealingOptions,
  { toKeyFile, toCodec, toKeyStore, toAnchor }: TargetOptions,
  isSameStore: boolean,
): SealingOptions {
  const own = { keyFile: toKeyFile ?? noKeyFile, codec: toCodec, keyStore: toKeyStore };
  if (toKeyFile !== undefined) return { ...own, anchor: toAnchor };
  if (isSameStore) {
    return {
      keyFile: source.keyFile,
      codec: toCodec ?? source.codec,
      keyStore: toKeyStore ?? source.keyStore,
      anchor: toAnchor ?? source.anchor,
    };
  }
  if (source.keyFile === undefined || source.keyFile === noKeyFile) {
    return { ...own, anchor: toAnchor };
  }
  const detail = `--to-key-file <path> seals the copy, --to-key-file ${noKeyFile} leaves it plain`;
  throw new CliError(exitCodes.usage, `Say how the copy is to be kept: ${detail}`);
}
