import type { Codec } from "../../src/index.ts";
import type { Missing } from "../requirements.ts";
import type { CodecFixture, CodecPromises } from "./codec-fixture.ts";
import type { CodecRequirement } from "./codec-property.ts";

/** {@link CodecPromises} with their defaults. */
export interface ResolvedPromises {
  readonly authenticates: boolean;
  readonly chains: boolean;
  readonly encrypts: boolean;
  /** null: there is no such limit. */
  readonly maxDecodedBytes: number | null;
}

/** What a codec promises, with what is left out. */
export function resolvePromises({
  authenticates,
  chains = authenticates,
  encrypts = authenticates,
  maxDecodedBytes = null,
}: Omit<CodecPromises, "maxDecodedBytes"> & {
  readonly maxDecodedBytes?: number | null | undefined;
}): ResolvedPromises {
  return { authenticates, chains, encrypts, maxDecodedBytes };
}

type Look = (promises: ResolvedPromises, fixture: CodecFixture, codec: Codec) => boolean;

const looks: Readonly<Record<CodecRequirement, readonly [has: Look, reason: string]>> = {
  authenticates: [({ authenticates }) => authenticates, "it does not promise to authenticate"],
  chains: [({ chains }) => chains, "it does not promise to chain records"],
  encrypts: [({ encrypts }) => encrypts, "it does not promise to encrypt"],
  limits: [({ maxDecodedBytes }) => maxDecodedBytes !== null, "it promises no maxDecodedBytes"],
  isCurrent: [(_promises, _fixture, codec) => codec.isCurrent !== undefined, "it has no isCurrent"],
  place: [(_promises, _fixture, codec) => codec.place !== undefined, "it has no place"],
  foreign: [
    (_promises, fixture) => fixture.createForeign !== undefined,
    "the fixture has no createForeign",
  ],
  secrets: [(_promises, { secrets }) => secrets !== undefined, "the fixture names no secrets"],
  unlimited: [
    (_promises, { encodeUnlimited }) => encodeUnlimited !== undefined,
    "the fixture has no encodeUnlimited",
  ],
};

/** Without these a promise is not refuted and not shown either. */
const reaches: ReadonlySet<CodecRequirement> = new Set(["foreign", "secrets", "unlimited"]);

/** What a codec lacks of `requirements`; what it does not promise comes first, and blocks nothing. */
export function missingOfCodec(
  requirements: readonly CodecRequirement[],
  promises: ResolvedPromises,
  fixture: CodecFixture,
  codec: Codec,
): Missing | undefined {
  const missing = requirements
    .filter((requirement) => !looks[requirement][0](promises, fixture, codec))
    .map((name): Missing => ({ reason: looks[name][1], blocks: reaches.has(name) }));
  return missing.find(({ blocks }) => !blocks) ?? missing[0];
}
