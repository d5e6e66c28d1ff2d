// LangGraph's checkpoint savers. A session is a thread. An append puts one checkpoint, whose channel "log" holds every
// event so far, with the checkpoint before it as its parent: that is how a graph keeps its messages.

import { join } from "node:path";
import { createBridge } from "./bridge.mjs";
import { snapshotLog } from "./snapshot-log.mjs";

const checkpointPackage = "@langchain/langgraph-checkpoint";
const sqlitePackage = "@langchain/langgraph-checkpoint-sqlite";
const packages = { [checkpointPackage]: "1.2.2", "@langchain/core": "1.4.0" };

export const memorySaver = {
  name: "langgraph-memory",
  title: "LangGraph MemorySaver",
  packages,
  manifest: { concurrency: "instance", durability: "none", readIsolation: "snapshot" },
  storage: "memory",
  async open({ load }) {
    const { MemorySaver, emptyCheckpoint } = await load(checkpointPackage);
    return createBridge(logOf(new MemorySaver(), emptyCheckpoint));
  },
};

export const sqliteSaver = {
  name: "langgraph-sqlite",
  title: "LangGraph SqliteSaver",
  packages: { [sqlitePackage]: "1.0.4", ...packages },
  manifest: { concurrency: "instance", durability: "process", readIsolation: "snapshot" },
  storage: "engine",
  async open({ load, directory }) {
    const { emptyCheckpoint } = await load(checkpointPackage);
    const { SqliteSaver } = await load(sqlitePackage);
    const saver = SqliteSaver.fromConnString(join(directory, "checkpoints.db"));
    return createBridge(logOf(saver, emptyCheckpoint, () => saver.db.close()));
  },
};

function logOf(saver, emptyCheckpoint, close) {
  const configOf = (sessionId) => ({ configurable: { thread_id: sessionId, checkpoint_ns: "" } });
  return snapshotLog({
    async load(sessionId) {
      const tuple = await saver.getTuple(configOf(sessionId));
      if (tuple === undefined) return undefined;
      const { config, checkpoint, metadata } = tuple;
      return { records: checkpoint.channel_values.log, time: metadata.time, config };
    },
    async save(sessionId, { records, time }, loaded) {
      const versions = { log: records.length };
      const checkpoint = {
        ...emptyCheckpoint(),
        channel_values: { log: records },
        channel_versions: versions,
      };
      const metadata = { source: "update", step: records.length, parents: {}, time };
      await saver.put(loaded?.config ?? configOf(sessionId), checkpoint, metadata, versions);
    },
    remove: (sessionId) => saver.deleteThread(sessionId),
    async ids() {
      const threads = new Set();
      for await (const { config } of saver.list({})) threads.add(config.configurable.thread_id);
      return threads;
    },
    close,
  });
}
