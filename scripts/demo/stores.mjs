// The two stores of the demo, opened through the package's public entries.

import { fileCheckpointer } from "../../dist/adapters/file/index.js";
import { sqliteCheckpointer } from "../../dist/adapters/sqlite/index.js";

export const stores = [
  { name: "file store", spec: "file:sessions" },
  { name: "SQLite store", spec: "sqlite:sessions.db" },
];

/**
 * Opens a store by its spec, relative to the working directory. In both, an acknowledged append survives a power cut;
 * the file store gives a silent writer up for dead after the shortest time it allows.
 */
export function open(spec) {
  const [scheme, path] = spec.split(":");
  if (scheme === "file") return fileCheckpointer({ dir: path, lockStaleMs: 2_000 });
  return sqliteCheckpointer({ file: path, synchronous: "full" });
}

/** Everything in a session. */
export async function readAll(store, sessionId) {
  const stored = [];
  for await (const one of store.read(sessionId)) stored.push(one);
  return stored;
}
