import { createRequire } from "node:module";
import type pg from "pg";
import { CheckpointError } from "../../src/index.ts";

/** What the adapter uses of the package pg. */
export interface Driver {
  readonly Pool: typeof pg.Pool;
  readonly Client: typeof pg.Client;
}

const requireFromHere = createRequire(import.meta.url);

/**
 * Loads pg at the first call and not at import, so that importing this entry costs nothing and works
 * without the driver.
 *
 * @param require - where to look for the package
 * @throws CheckpointError `NOT_SUPPORTED` when it is missing
 */
export function loadDriver(require: (id: string) => unknown = requireFromHere): Driver {
  try {
    return require("pg") as Driver;
  } catch (error) {
    throw new CheckpointError(
      "NOT_SUPPORTED",
      "Cannot open a PostgreSQL database: pg is missing, run `npm install pg`",
      { cause: error },
    );
  }
}
