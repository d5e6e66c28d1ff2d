import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import type { CreateFixture, DamageKind, Fixture } from "../../conformance/index.ts";
import { open, openPaced, type StorePlace } from "./process-module.ts";

/** Compiled, since a child process runs no TypeScript. */
const processModule = pathToFileURL("dist/test/conformance/process-module.js").href;

/** One of our adapters on disk, with everything that the suite can reach. */
export function diskFixture(
  adapter: StorePlace["adapter"],
  pipeline: StorePlace["pipeline"],
): CreateFixture {
  return () => {
    const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
    const directory = join(root, "store");
    mkdirSync(directory);
    const place: StorePlace = { adapter, directory, pipeline };
    const fixture: Fixture = {
      name: `${adapter}, ${pipeline}`,
      open: () => open(place),
      openPaced: (pace) => openPaced(place, pace),
      processModule,
      processArgument: place,
      directory,
      dispose: () => rmSync(root, { recursive: true }),
    };
    const reach = adapter === "file" ? fileReach(directory) : sqliteReach(directory);
    return { ...fixture, ...reach };
  };
}

function fileReach(directory: string): Partial<Fixture> {
  return {
    storage: "files",
    logFile: (sessionId) => join(directory, `${sessionId}.jsonl`),
    expireLocks() {
      const longAgo = new Date(Date.now() - 3_600_000);
      for (const name of readdirSync(directory)) {
        if (name.endsWith(".lock")) utimesSync(join(directory, name), longAgo, longAgo);
      }
    },
  };
}

function sqliteReach(directory: string): Partial<Fixture> {
  const file = join(directory, "sessions.db");
  return {
    storage: "engine",
    damage(sessionId, seq, kind) {
      const database = new Database(file);
      database.prepare(damageSql[kind]).run(sessionId, seq);
      database.close();
    },
    block() {
      const database = new Database(file);
      database.exec("BEGIN IMMEDIATE");
      return () => void database.close();
    },
  };
}

const record =
  "(SELECT r.id FROM records r JOIN sessions s ON r.session = s.id WHERE s.name = ? AND r.seq = ?)";

const damageSql: Readonly<Record<DamageKind, string>> = {
  garble: `UPDATE records SET payload = '{"n":' WHERE id = ${record}`,
  remove: `DELETE FROM records WHERE id = ${record}`,
};
