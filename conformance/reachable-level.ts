import type { Manifest } from "./manifest.ts";
import { levels, type Level } from "./property.ts";
import { properties } from "./properties/index.ts";

/** The highest level that a manifest leaves room for, and what it says against the next one. */
export interface Ceiling {
  readonly level: Level;
  /** Empty for the highest level. */
  readonly reason: string;
}

/** What is gone with its process is not safe from crashes; what one machine opens is not distributed. */
export function ceilingOf({ durability, concurrency }: Manifest): Ceiling {
  if (durability === "none") return { level: "L2", reason: "durability is claimed to be none" };
  if (concurrency === "network") return { level: "L4", reason: "" };
  return { level: "L3", reason: "concurrency is claimed within one machine only" };
}

/** The highest level that can be shown of a store with this manifest. */
export function reachableLevel(manifest: Manifest): Level {
  const { level: ceiling } = ceilingOf(manifest);
  // A level of which the suite has no properties cannot be shown.
  const isShown = (level: Level): boolean =>
    properties.some((one) => one.level === level && one.advisory !== true);
  return levels.slice(0, levels.indexOf(ceiling) + 1).findLast(isShown) ?? "L1";
}
