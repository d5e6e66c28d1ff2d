import type { Database } from "better-sqlite3";
import { CheckpointError, quote } from "../../src/index.ts";
import { applicationId, schemaVersion } from "./schema.ts";
import { sqliteCode } from "./sqlite-errors.ts";

/**
 * Whose database this is, found out by reading alone.
 *
 * @returns `"ours"`, or `"empty"` when nothing was ever stored in it
 * @throws CheckpointError `UNSUPPORTED_FORMAT` when it is another program's or a newer version's
 */
export function identifyDatabase(database: Database, file: string): "ours" | "empty" {
  const { application, version, tables } = readIdentity(database, file);
  if (application === applicationId && version === schemaVersion) {
    if (tables.includes("sessions") && tables.includes("records")) return "ours";
    throw refuse(file, "its tables are missing");
  }
  if (application === applicationId) {
    throw refuse(
      file,
      `it has layout ${String(version)}, this version of the kit knows ${schemaVersion}`,
    );
  }
  if (application === 0 && version === 0 && tables.length === 0) return "empty";
  if (application === 0 && tables.includes("events") && tables.includes("sessions")) {
    throw refuse(file, "it has the layout of the seed, which importSeedDatabase() reads");
  }
  throw refuse(file, "it belongs to another program");
}

interface Identity {
  readonly application: unknown;
  readonly version: unknown;
  readonly tables: readonly string[];
}

/** Reads whose database a file is; refuses a file that is none. Writes nothing. */
export function readIdentity(database: Database, file: string): Identity {
  try {
    return {
      application: database.pragma("application_id", { simple: true }),
      version: database.pragma("user_version", { simple: true }),
      tables: database.prepare<[], string>("SELECT name FROM sqlite_schema").pluck().all(),
    };
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_NOTADB") throw refuse(file, "it is not a SQLite database");
    throw error;
  }
}

/** The error for a database that is not used, for a reason that a sentence can end with. */
export function refuse(file: string, reason: string): CheckpointError {
  return new CheckpointError("UNSUPPORTED_FORMAT", `Cannot open ${quote(file)}: ${reason}`);
}
