import {
  aesGcm,
  compress,
  keyRing,
  pipeline,
  xchacha,
  type KeySource,
} from "../../codecs/index.ts";
import type { Codec, ErrorCode } from "../../src/index.ts";
import { firstKey, firstRing, secondKey } from "./fixtures.ts";

/** The codec that a log is sealed with. */
export const right: Codec = sealedBy(firstRing);

/** The same codec with a key that the log was not sealed with. */
export const foreign: Codec = sealedBy(keyRing({ primary: secondKey }));

/** Codecs that cannot read what the right one sealed, and what they are told. */
export const strangers: ReadonlyArray<readonly [string, Codec | undefined, ErrorCode]> = [
  ["another key", foreign, "KEY_UNKNOWN"],
  [
    "a disabled key",
    sealedBy(keyRing({ primary: secondKey, disabled: [firstKey] })),
    "KEY_DISABLED",
  ],
  [
    "another namespace",
    pipeline(compress(), aesGcm({ keys: firstRing, namespace: "other" })),
    "WRONG_KEY",
  ],
  ["another suite", pipeline(compress(), xchacha({ keys: firstRing })), "UNSUPPORTED_FORMAT"],
  ["no codec", undefined, "SEALED_IN_PLAIN_LOG"],
];

function sealedBy(keys: KeySource): Codec {
  return pipeline(compress(), aesGcm({ keys }));
}
