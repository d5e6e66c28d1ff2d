// Emmett's event stores. A session is a stream, an event a message of one type with the event as its data; an expected
// head is an expected stream version. Neither store deletes a stream. Neither lists streams: in memory the bridge
// remembers the names, and in SQLite it asks the messages table.

import { join } from "node:path";
import { CheckpointConflictError } from "../../dist/src/index.js";
import { createBridge, lacking, requireHead } from "./bridge.mjs";

const corePackage = "@event-driven-io/emmett";
const sqlitePackage = "@event-driven-io/emmett-sqlite";

export const inMemoryEventStore = {
  name: "emmett-memory",
  title: "Emmett in-memory event store",
  packages: { [corePackage]: "0.42.0" },
  manifest: { concurrency: "instance", durability: "none", readIsolation: "snapshot" },
  storage: "memory",
  async open({ load }) {
    const { getInMemoryEventStore } = await load(corePackage);
    const log = logOf(getInMemoryEventStore());
    const times = new Map();
    return createBridge({
      ...log,
      async append(sessionId, records, expectedHead, time) {
        const head = await log.append(sessionId, records, expectedHead, time);
        if (records.length > 0) times.set(sessionId, time);
        return head;
      },
      async list() {
        const entries = [...times].map(async ([id, mtime]) => ({
          id,
          mtime,
          head: await log.head(id),
        }));
        return Promise.all(entries);
      },
    });
  },
};

export const sqliteEventStore = {
  name: "emmett-sqlite",
  title: "Emmett SQLite event store",
  packages: { [sqlitePackage]: "0.42.4", [corePackage]: "0.42.0", sqlite3: "5.1.7" },
  // It asks for a core of its own version, which not every registry has; what it uses of the core it carries itself.
  overrides: { [sqlitePackage]: { [corePackage]: "0.42.0" } },
  manifest: { concurrency: "instance", durability: "process", readIsolation: "snapshot" },
  storage: "engine",
  async open({ load, directory }) {
    const { getSQLiteEventStore, sqliteConnection } = await load(sqlitePackage);
    const fileName = join(directory, "events.db");
    return createBridge({
      ...logOf(getSQLiteEventStore({ fileName })),
      list: () => listStreams(sqliteConnection({ fileName })),
    });
  },
};

function logOf(store) {
  const headOf = async (sessionId) => {
    const { currentStreamVersion } = await store.readStream(sessionId);
    return Number(currentStreamVersion);
  };
  return {
    async append(sessionId, records, expectedHead, time) {
      if (records.length === 0)
        return requireHead(sessionId, await headOf(sessionId), expectedHead);
      const messages = records.map(({ ts, event }) => ({
        type: "SessionEvent",
        data: event,
        metadata: { ts, time },
      }));
      const options =
        expectedHead === undefined ? {} : { expectedStreamVersion: BigInt(expectedHead) };
      try {
        const result = await store.appendToStream(sessionId, messages, options);
        return Number(result.nextExpectedStreamVersion);
      } catch (error) {
        if (error.errorCode !== 412 || expectedHead === undefined) throw error;
        throw new CheckpointConflictError(sessionId, expectedHead, await headOf(sessionId));
      }
    },
    async read(sessionId) {
      const { events } = await store.readStream(sessionId);
      return events.map(({ data, metadata }) => ({
        seq: Number(metadata.streamPosition),
        ts: metadata.ts,
        event: data,
      }));
    },
    head: headOf,
    delete: lacking("delete"),
  };
}

async function listStreams(connection) {
  try {
    const rows = await connection.query(
      `SELECT stream_id AS id, max(stream_position) AS head,
              max(json_extract(message_metadata, '$.time')) AS mtime
         FROM emt_messages GROUP BY stream_id`,
    );
    return rows.map(({ id, head, mtime }) => ({ id, head: Number(head), mtime }));
  } catch (error) {
    // Nothing has been appended yet.
    if (/no such table/.test(error.message)) return [];
    throw error;
  } finally {
    connection.close();
  }
}
