/**
 * Sessions in a PostgreSQL database; needs the package pg.
 *
 * @module
 */
export {
  postgresKeyStore,
  type PostgresKeyStore,
  type PostgresKeyStoreOptions,
} from "./key-store.ts";
export {
  postgresAnchor,
  type PostgresAnchor,
  type PostgresAnchorOptions,
} from "./postgres-anchor.ts";
export { postgresCheckpointer, type PostgresCheckpointer } from "./postgres-checkpointer.ts";
export type {
  PostgresCheckpointerOptions,
  PostgresPool,
  PostgresServerOptions,
  PostgresStoreOptions,
} from "./postgres-options.ts";
export { postgresStore, type PostgresOperations, type PostgresStore } from "./postgres-store.ts";
