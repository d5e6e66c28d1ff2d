import type { CreateFixture, Fixture } from "../conformance/fixture.ts";
import type { Manifest } from "../conformance/manifest.ts";
import type { FloorName } from "./floors/open-floor.ts";

/** A store to be measured. */
export interface Subject {
  /** Unique in a run, for example `sqlite, sealed`. */
  readonly name: string;
  /** Makes a new, empty store, as for the conformance suite; called for every workload. */
  readonly createFixture: CreateFixture;
  /** The subject that differs from this one by its codec alone. */
  readonly plain?: string | undefined;
  /** The bare operation to compare with. Default: what writes to where the fixture says it does. */
  readonly floor?: FloorName | undefined;
}

/** The floor of a store that names none. */
export function defaultFloor(
  { storage, directory, server }: Fixture,
  { durability }: Manifest,
): FloorName {
  if (server?.connectionString !== undefined) return "postgres";
  if (storage === "memory" || durability === "none") return "memory";
  // Whoever promises durability has to bring bytes to a disk, whatever stands between.
  return storage === "engine" || storage === "files" || directory !== undefined ? "file" : "memory";
}
