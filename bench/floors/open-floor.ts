import type { Floor, FloorOptions } from "./floor.ts";

/** Names of floors. */
export const floorNames = ["memory", "file", "sqlite", "postgres"] as const;

/** One of {@link floorNames}. */
export type FloorName = (typeof floorNames)[number];

/**
 * Opens a floor; its driver is loaded when it is asked for.
 *
 * @throws RangeError for a floor on a server without one
 */
export async function openFloor(name: FloorName, options: FloorOptions): Promise<Floor> {
  switch (name) {
    case "memory":
      return (await import("./memory-floor.ts")).openMemoryFloor();
    case "file":
      return (await import("./file-floor.ts")).openFileFloor(options);
    case "sqlite":
      return (await import("./sqlite-floor.ts")).openSqliteFloor(options);
    case "postgres":
      return (await import("./postgres-floor.ts")).openPostgresFloor(options);
  }
}
