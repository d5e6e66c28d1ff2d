// The peers, each with what it is asked.

import { inMemoryEventStore, sqliteEventStore } from "./emmett.mjs";
import { jsonLines } from "./json-lines.mjs";
import { memorySaver, sqliteSaver } from "./langgraph.mjs";
import { memorySession } from "./openai-agents.mjs";
import { fsStorage } from "./unstorage.mjs";

/**
 * The same peer, opened by several handles and processes at once. None of them says that this is safe, and none
 * prevents it; so the question is one of its own, and what comes of it is no broken promise.
 */
function shared(peer) {
  return {
    ...peer,
    name: `${peer.name}-shared`,
    title: `${peer.title}, shared`,
    manifest: { ...peer.manifest, concurrency: "host" },
  };
}

export const peers = [
  memorySaver,
  memorySession,
  inMemoryEventStore,
  sqliteSaver,
  sqliteEventStore,
  fsStorage,
  jsonLines,
  ...[sqliteSaver, sqliteEventStore, fsStorage, jsonLines].map(shared),
];
