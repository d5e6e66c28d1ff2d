import type { PostgresCheckpointer } from "../adapters/postgres/index.ts";
import type { CheckpointerOptions, EventObject } from "../src/index.ts";
import type { StoreScheme } from "./open-store.ts";
import { openPostgres, shapeOf, withPostgres } from "./postgres-place.ts";

/** The schema where none is named. */
export const defaultStoreSchema = "checkpointer";

/** A schema of a PostgreSQL database, as a URL. */
export const postgresScheme: StoreScheme = {
  shape: shapeOf("<name>"),
  exists: (_location, spec) => withPostgres(open(spec, {}), (store) => store.isSetUp()),
  open: (_location, spec, sealing) => open(spec, sealing),
};

function open(
  spec: string,
  sealing: CheckpointerOptions,
): Promise<PostgresCheckpointer<EventObject>> {
  return openPostgres("store", defaultStoreSchema, spec, async (place) => {
    const { postgresCheckpointer } = await import("../adapters/postgres/index.ts");
    return postgresCheckpointer<EventObject>({ ...place, ...sealing });
  });
}
