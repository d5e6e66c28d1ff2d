import { createContext } from "../conformance/context.ts";
import type { Fixture } from "../conformance/fixture.ts";
import type { Manifest } from "../conformance/manifest.ts";
import type { FloorName } from "./floors/open-floor.ts";
import { defaultFloor, type Subject } from "./subject.ts";

/** A subject that was asked who it is. */
export interface KnownSubject {
  readonly subject: Subject;
  readonly manifest: Manifest;
  /** A fixture of its kind that is gone; for what it says of itself. */
  readonly probe: Fixture;
  readonly floor: FloorName;
  /** Whether the store, and so its floor, survives a power cut. */
  readonly synced: boolean;
}

/** Makes one store of a subject and looks at it. */
export async function knowSubject(subject: Subject, seed: number): Promise<KnownSubject> {
  const context = await createContext(subject.createFixture, { seed, effort: 1 });
  const { manifest, fixture } = context;
  await context.dispose();
  return {
    subject,
    manifest,
    probe: fixture,
    floor: subject.floor ?? defaultFloor(fixture, manifest),
    synced: manifest.durability === "power",
  };
}
