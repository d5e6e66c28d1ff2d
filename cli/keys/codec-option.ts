import type { KeySource } from "../../codecs/index.ts";
import type { Codec } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";

/** What `--codec` takes: ids of the stages of a pipeline, in the order in which they encode. */
export const codecNames = [
  "compress+aes-gcm",
  "aes-gcm",
  "compress+xchacha",
  "xchacha",
  "compress",
] as const;

export type CodecName = (typeof codecNames)[number];

/** What a key is used with unless `--codec` says otherwise. */
export const defaultCodec: CodecName = "compress+aes-gcm";

/** @throws CliError for anything but one of {@link codecNames} */
export function requireCodecName(text: string): CodecName {
  const name = codecNames.find((known) => known === text);
  if (name !== undefined) return name;
  const wanted = `wanted ${codecNames.join(", ")}`;
  throw new CliError(exitCodes.usage, `--codec: ${wanted}; met "${escapeText(text)}"`);
}

/** Whether a codec encrypts, and so needs a key. */
export function needsKey(name: CodecName): boolean {
  return name !== "compress";
}

/** @param keys - for a codec that needs a key */
export async function createCodec(name: CodecName, keys: KeySource | undefined): Promise<Codec> {
  const { aesGcm, compress, pipeline, xchacha } = await import("../../codecs/index.ts");
  const stages = name.split("+").map((stage) => {
    if (stage === "compress" || keys === undefined) return compress();
    return stage === "aes-gcm" ? aesGcm({ keys }) : xchacha({ keys });
  });
  return pipeline(...stages);
}
