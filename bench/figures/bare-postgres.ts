import process from "node:process";
import pg from "pg";

/** What one would write without the kit: prepared statements on connections of one's own. */
export interface BarePostgres {
  /** A round trip with nothing in it. */
  readonly ask: () => Promise<void>;
  /** One insert into (session, seq, payload), in a transaction of its own. */
  readonly insert: (payload: string) => Promise<void>;
  /** The same through a function that compares the head, moves it and inserts; a connection a session. */
  readonly call: (session: number, payload: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const create = `
  CREATE TABLE records (session bigint, seq bigint, payload text NOT NULL, PRIMARY KEY (session, seq));
  CREATE TABLE heads (session bigint PRIMARY KEY, head bigint NOT NULL) WITH (fillfactor = 50);
  CREATE TABLE called (LIKE records INCLUDING ALL);
  CREATE FUNCTION append(of bigint, expected bigint, payload text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE heads SET head = head + 1 WHERE session = of AND head = expected;
      IF NOT FOUND THEN RAISE EXCEPTION 'the head is another one'; END IF;
      INSERT INTO called VALUES (of, expected + 1, payload);
      RETURN expected + 1;
    END $$`;

/** Makes the tables in a new schema, which goes at the end, and connects once for each session. */
export async function openBarePostgres(url: string, sessions: number): Promise<BarePostgres> {
  const schema = `bare_${process.pid}`;
  const clients: pg.Client[] = [];
  const heads = Array.from({ length: sessions }, () => 0);
  let seq = 0;
  for (let session = 0; session < sessions; session += 1) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    if (session === 0) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(`SET search_path = ${schema}`);
    if (session === 0) await client.query(create);
    await client.query("INSERT INTO heads VALUES ($1, 0)", [session]);
    clients.push(client);
  }

  async function run(session: number, text: string, values: unknown[]): Promise<void> {
    await clients[session]?.query({ name: text, text, values, rowMode: "array" });
  }

  return {
    ask: () => run(0, "SELECT 1", []),
    insert: (payload) => {
      seq += 1;
      return run(0, "INSERT INTO records VALUES ($1, $2, $3)", [1, seq, payload]);
    },
    async call(session, payload) {
      const head = heads[session] ?? 0;
      await run(session, "SELECT append($1, $2, $3)", [session, head, payload]);
      heads[session] = head + 1;
    },
    async close() {
      const quietly = "SET client_min_messages = error";
      await clients[0]?.query(`${quietly}; DROP SCHEMA ${schema} CASCADE`);
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}
