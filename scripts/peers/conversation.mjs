// One conversation, turn by turn, as each store would be used for it by hand: after every turn what was said so far is
// kept, and at the end everything is loaded once, as an agent does that goes on.

import Database from "better-sqlite3";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { fileCheckpointer } from "../../dist/adapters/file/index.js";
import { postgresCheckpointer } from "../../dist/adapters/postgres/index.js";
import { sqliteCheckpointer } from "../../dist/adapters/sqlite/index.js";
import { sqliteSaver } from "./langgraph.mjs";
import { sqliteEventStore } from "./emmett.mjs";

/** A store of the kit: an append of the turn's events, with the head that is expected. */
function kit(open) {
  return async ({ directory, url }) => {
    const store = open(directory ?? url);
    let head = 0;
    return {
      async turn(events) {
        head = await store.append("conversation", events, head);
      },
      async load() {
        let count = 0;
        for await (const _event of store.read("conversation")) count += 1;
        return count;
      },
      close: () => store.close(),
    };
  };
}

/** A table with one row an event, and a transaction a turn. */
async function bareSqlite({ directory }) {
  const database = new Database(join(directory, "bare.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  database.exec(
    "CREATE TABLE events (session TEXT, seq INTEGER, payload TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO events VALUES ('conversation', ?, ?)");
  const select = database.prepare("SELECT payload FROM events WHERE session = ? ORDER BY seq");
  let seq = 0;
  const append = database.transaction((events) => {
    for (const event of events) insert.run((seq += 1), JSON.stringify(event));
  });
  return {
    turn: async (events) => append.immediate(events),
    load: async () => select.all("conversation").map(({ payload }) => JSON.parse(payload)).length,
    close: async () => void database.close(),
  };
}

/** A table with one row an event, and a statement a turn. */
async function barePostgres({ url }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "CREATE TABLE events (session text, seq bigint, payload text, PRIMARY KEY (session, seq))",
  );
  const text = `INSERT INTO events SELECT 'conversation', $1 + place, payload
    FROM unnest($2::text[]) WITH ORDINALITY AS r (payload, place)`;
  const select = "SELECT payload FROM events WHERE session = $1 ORDER BY seq";
  let seq = 0;
  return {
    async turn(events) {
      const texts = events.map((event) => JSON.stringify(event));
      await client.query({ name: "insert", text, values: [seq, texts] });
      seq += texts.length;
    },
    async load() {
      const { rows } = await client.query({ name: "all", text: select, values: ["conversation"] });
      return rows.map(({ payload }) => JSON.parse(payload)).length;
    },
    close: () => client.end(),
  };
}

/** A line an event, and one write a turn. */
async function bareLines({ directory }) {
  const file = join(directory, "conversation.jsonl");
  return {
    async turn(events) {
      appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    },
    load: async () =>
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)).length,
    close: async () => undefined,
  };
}

/** A checkpoint a turn, whose one channel holds all events so far: that is how a graph keeps its messages. */
async function langgraph(saver, loadPackage, close) {
  const { emptyCheckpoint } = await loadPackage("@langchain/langgraph-checkpoint");
  const thread = { configurable: { thread_id: "conversation", checkpoint_ns: "" } };
  let config = thread;
  let log = [];
  let step = 0;
  return {
    async turn(events) {
      log = [...log, ...events];
      step += 1;
      const versions = { log: step };
      const checkpoint = {
        ...emptyCheckpoint(),
        channel_values: { log },
        channel_versions: versions,
      };
      const metadata = { source: "loop", step, parents: {} };
      config = await saver.put(config, checkpoint, metadata, versions);
    },
    load: async () => (await saver.getTuple(thread)).checkpoint.channel_values.log.length,
    close,
  };
}

async function langgraphSqlite({ directory, load }) {
  const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(join(directory, "checkpoints.db"));
  return langgraph(saver, load, async () => void saver.db.close());
}

async function langgraphPostgres({ url, load }) {
  const { PostgresSaver } = await load("@langchain/langgraph-checkpoint-postgres");
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  return langgraph(saver, load, () => saver.end());
}

/** A message an event, and one append a turn, with the version that is expected. */
function emmett(store, close) {
  let version;
  return {
    async turn(events) {
      const messages = events.map((event) => ({ type: "SessionEvent", data: event, metadata: {} }));
      const options = version === undefined ? {} : { expectedStreamVersion: version };
      const result = await store.appendToStream("conversation", messages, options);
      version = result.nextExpectedStreamVersion;
    },
    load: async () => (await store.readStream("conversation")).events.length,
    close,
  };
}

async function emmettSqlite({ directory, load }) {
  const { getSQLiteEventStore } = await load("@event-driven-io/emmett-sqlite");
  const store = getSQLiteEventStore({ fileName: join(directory, "events.db") });
  return emmett(store, async () => undefined);
}

async function emmettPostgres({ url, load }) {
  const { getPostgreSQLEventStore } = await load("@event-driven-io/emmett-postgresql");
  const store = getPostgreSQLEventStore(url);
  return emmett(store, () => store.close());
}

/** Everybody on this disk, the floor first. `peer` has the packages that have to be installed. */
const onDisk = [
  { name: "bare SQLite", survives: "process", open: bareSqlite },
  { name: "bare JSONL", survives: "process", open: bareLines },
  {
    name: "kit, SQLite",
    survives: "process",
    open: kit((directory) => sqliteCheckpointer({ file: join(directory, "sessions.db") })),
  },
  {
    name: "kit, file, process",
    survives: "process",
    open: kit((directory) => fileCheckpointer({ dir: directory, durability: "process" })),
  },
  {
    name: "kit, SQLite, FULL",
    survives: "power",
    open: kit((directory) =>
      sqliteCheckpointer({ file: join(directory, "sessions.db"), synchronous: "full" }),
    ),
  },
  {
    name: "kit, file, power",
    survives: "power",
    open: kit((directory) => fileCheckpointer({ dir: directory })),
  },
  { name: "LangGraph SqliteSaver", survives: "process", open: langgraphSqlite, peer: sqliteSaver },
  { name: "Emmett SQLite", survives: "power", open: emmettSqlite, peer: sqliteEventStore },
];

const postgresSaver = {
  name: "langgraph-postgres",
  packages: {
    "@langchain/langgraph-checkpoint-postgres": "1.0.5",
    "@langchain/langgraph-checkpoint": "1.2.2",
    "@langchain/core": "1.4.0",
  },
};

const postgresEventStore = {
  name: "emmett-postgres",
  packages: {
    "@event-driven-io/emmett-postgresql": "0.42.0",
    "@event-driven-io/emmett": "0.42.0",
    "@event-driven-io/pongo": "0.16.11",
  },
};

/** Everybody on one server, each with a database of its own, the floor first. */
const onServer = [
  { name: "bare Postgres", survives: "as the server", open: barePostgres },
  {
    name: "kit, Postgres",
    survives: "as the server",
    open: kit((connectionString) => postgresCheckpointer({ connectionString })),
  },
  {
    name: "LangGraph PostgresSaver",
    survives: "as the server",
    open: langgraphPostgres,
    peer: postgresSaver,
  },
  {
    name: "Emmett PostgreSQL",
    survives: "as the server",
    open: emmettPostgres,
    peer: postgresEventStore,
  },
];

/** Those who are compared with each other, by where they keep things. */
export const contestants = { disk: onDisk, postgres: onServer };
