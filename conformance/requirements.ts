import type { Fixture } from "./fixture.ts";
import type { Manifest, OptionalCapability } from "./manifest.ts";
import type { Requirement } from "./property.ts";

/** Why a property is not run. */
export interface Missing {
  readonly reason: string;
  /**
   * Whether the level has to be refused: what the store claims, or the level is about, could not be
   * shown. A capability that is not claimed, or somebody else's business, blocks nothing.
   */
  readonly blocks: boolean;
}

type Look = (capabilities: Manifest, fixture: Fixture) => Missing | undefined;

const not = (reason: string): Missing => ({ reason, blocks: false });
const blocking = (reason: string): Missing => ({ reason, blocks: true });

function claimed(name: OptionalCapability): Look {
  return (capabilities) => (capabilities[name] ? undefined : not(`${name} is not claimed`));
}

const looks: Readonly<Record<Requirement, Look>> = {
  full: ({ kit }) => (kit === 1 ? undefined : not("only the minimal methods are claimed")),
  truncate: claimed("truncate"),
  range: claimed("range"),
  idempotency: claimed("idempotency"),
  headToken: claimed("headToken"),
  listPage: claimed("listPage"),
  fork: claimed("fork"),
  verify: claimed("verify"),
  repair: claimed("repair"),
  handles: ({ concurrency }) =>
    concurrency === "instance" ? not("concurrency is claimed within one object only") : undefined,
  processes: ({ concurrency }, { processModule }) => {
    if (concurrency === "instance" || concurrency === "process") {
      return not("concurrency is claimed within one process only");
    }
    return processModule === undefined ? blocking("the fixture has no processModule") : undefined;
  },
  durable: ({ durability }) =>
    durability === "none" ? blocking("durability is claimed to be none") : undefined,
  power: ({ durability }) =>
    durability === "power" ? undefined : not(`durability is claimed as ${durability}`),
  files: (_capabilities, fixture) => {
    if (storageOf(fixture) === "files") return undefined;
    return not(
      storageOf(fixture) === "engine"
        ? "a storage engine of its own answers for the bytes"
        : "the store keeps no files",
    );
  },
  logFile: (_capabilities, fixture) =>
    fixture.logFile === undefined ? blocking("the fixture names no logFile") : undefined,
  damage: (_capabilities, fixture) =>
    fixture.logFile === undefined && fixture.damage === undefined
      ? blocking("the fixture has neither logFile nor damage")
      : undefined,
  block: (_capabilities, fixture) =>
    fixture.block === undefined ? not("the fixture cannot block writers") : undefined,
  paced: (_capabilities, fixture) =>
    fixture.openPaced === undefined ? not("the fixture has no openPaced") : undefined,
  server: ({ concurrency }, { server }) => {
    if (concurrency !== "network")
      return blocking("concurrency is claimed within one machine only");
    return server === undefined ? blocking("the fixture names no server") : undefined;
  },
  directory: (_capabilities, { directory }) =>
    directory === undefined ? not("the fixture names no directory") : undefined,
};

/** Who writes a store's bytes; see {@link Fixture.storage}. */
function storageOf({ storage, directory }: Fixture): "memory" | "files" | "engine" {
  return storage ?? (directory === undefined ? "memory" : "files");
}

/** What a store lacks of `requirements`; a lack that blocks a level comes first. */
export function missingOf(
  requirements: readonly Requirement[],
  capabilities: Manifest,
  fixture: Fixture,
): Missing | undefined {
  const missing = requirements
    .map((requirement) => looks[requirement](capabilities, fixture))
    .filter((one) => one !== undefined);
  // What does not apply at all needs no proof either, so that reason wins.
  return missing.find(({ blocks }) => !blocks) ?? missing[0];
}
