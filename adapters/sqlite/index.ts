/**
 * Sessions in one SQLite file; needs the package better-sqlite3.
 *
 * @module
 */
export type { IntegrityReport } from "./integrity-report.ts";
export {
  importSeedDatabase,
  type SeedImport,
  type SeedImportTarget,
} from "./import-seed-database.ts";
export { sqliteKeyStore, type SqliteKeyStoreOptions } from "./key-store.ts";
export { sqliteCheckpointer, type SqliteCheckpointer } from "./sqlite-checkpointer.ts";
export type { SqliteCheckpointerOptions, SqliteStoreOptions } from "./sqlite-options.ts";
export { sqliteStore, type SqliteOperations, type SqliteStore } from "./sqlite-store.ts";
