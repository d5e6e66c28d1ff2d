/**
 * Sessions in a PostgreSQL database; needs the package pg.
 *
 * @module
 */
export { postgresCheckpointer, type PostgresCheckpointer } from "./postgres-checkpointer.ts";
export type {
  PostgresCheckpointerOptions,
  PostgresPool,
  PostgresStoreOptions,
} from "./postgres-options.ts";
export { postgresStore, type PostgresOperations, type PostgresStore } from "./postgres-store.ts";
