import type { CodecFixture, CodecPromises } from "../../conformance/index.ts";
import type { Codec } from "../../src/index.ts";
import { sealingCodec, soundSteps, type Steps } from "./sealing-codec.ts";

/** A codec with one fault, and what of the suite it must fail, no more and no less. */
export interface BrokenCodec {
  /** What is wrong with it. */
  readonly name: string;
  /** Why somebody would write it. */
  readonly belief: string;
  /** Ids of properties, written down by hand from what the fault is. */
  readonly fails: readonly string[];
  readonly fixture: CodecFixture;
}

type About = Pick<BrokenCodec, "name" | "belief" | "fails">;

/** The key of every codec of the zoo, and the one that they do not know. */
export const zooKey: Uint8Array = Uint8Array.from({ length: 32 }, (_, index) => 0xb1 ^ (index * 7));
const foreignKey = new Uint8Array(32).fill(0x3c);

/** Properties that belong together. */
export const everyPlace: readonly string[] = ["C09", "C10", "C11", "C12", "C13"];
export const everyDamage: readonly string[] = ["C18", "C19", "C20", "C21"];

/** A fixture of a codec that seals under a key. */
export function sealingFixture(name: string, create: (key: Uint8Array) => Codec): CodecFixture {
  return {
    name,
    promises: { authenticates: true },
    createCodec: () => create(zooKey),
    createForeign: () => create(foreignKey),
    secrets: [zooKey],
  };
}

/** A codec that seals, with a step of its own. */
export function withStep(about: About, change: (sound: Steps) => Partial<Steps>): BrokenCodec {
  const create = (key: Uint8Array): Codec => {
    const sound = soundSteps(key);
    return sealingCodec({ ...sound, ...change(sound) });
  };
  return { ...about, fixture: sealingFixture(about.name, create) };
}

/** A codec that seals, with a method of its own. */
export function withMethod(
  about: About,
  change: (sound: Codec, key: Uint8Array) => Partial<Codec>,
): BrokenCodec {
  const create = (key: Uint8Array): Codec => {
    const sound = sealingCodec(soundSteps(key));
    return { ...sound, ...change(sound, key) };
  };
  return { ...about, fixture: sealingFixture(about.name, create) };
}

/** A codec that does not seal. */
export function transforming(
  about: About,
  promises: Omit<CodecPromises, "authenticates">,
  methods: Pick<Codec, "encode" | "decode">,
  encodeUnlimited?: Codec["encode"],
): BrokenCodec {
  const createCodec = (): Codec => ({ id: "zoo", kind: "transform", ...methods });
  const fixture = {
    name: about.name,
    promises: { authenticates: false, ...promises },
    createCodec,
    ...(encodeUnlimited === undefined ? {} : { encodeUnlimited }),
  };
  return { ...about, fixture };
}
