import { randomUUID } from "node:crypto";
import pg from "pg";
import { createTexts, type Floor, type FloorOptions } from "./floor.ts";

/** One table on the store's own server, prepared statements, and one connection. */
export async function openPostgresFloor({ server }: FloorOptions): Promise<Floor> {
  if (server === undefined) throw new RangeError("the postgres floor wanted a server, met none");
  const schema = `ckpt_floor_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema};
    CREATE TABLE records (session bigint, seq bigint, ts bigint NOT NULL, payload text NOT NULL,
      PRIMARY KEY (session, seq))`);
  const textOf = createTexts();
  let seq = 0;

  async function ask(name: keyof typeof statements, values: unknown[]): Promise<unknown[][]> {
    const query = { name, text: statements[name], values, rowMode: "array" as const };
    return (await client.query<unknown[]>(query)).rows;
  }

  async function parseAll(name: "all" | "last", values: unknown[]): Promise<number> {
    let count = 0;
    for (const [, , payload] of await ask(name, values)) {
      if (JSON.parse(String(payload)) !== null) count += 1;
    }
    return count;
  }

  return {
    async append(events) {
      const texts = events.map(textOf);
      const first = seq + 1;
      seq += texts.length;
      await (texts.length === 1
        ? ask("insertOne", [first, Date.now(), texts[0]])
        : ask("insertMany", [first, Date.now(), texts]));
    },
    clear: async () => void (await ask("truncate", [])),
    read: () => parseAll("all", []),
    readLast: (count) => parseAll("last", [count]),
    fillLogs: async (count, event) => void (await ask("fill", [count, textOf(event)])),
    list: async () => (await ask("heads", [])).length,
    async close() {
      await client.query(`SET client_min_messages = error; DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

const selectAll = "SELECT seq, ts, payload FROM records WHERE session = 1";

/** By names that a server does not cut. */
const statements = {
  insertOne: "INSERT INTO records VALUES (1, $1, $2, $3)",
  insertMany: `INSERT INTO records SELECT 1, $1 + place - 1, $2, payload
    FROM unnest($3::text[]) WITH ORDINALITY AS r (payload, place)`,
  truncate: "TRUNCATE records",
  all: `${selectAll} ORDER BY seq`,
  last: `${selectAll} ORDER BY seq DESC LIMIT $1`,
  fill: "INSERT INTO records SELECT 1 + place, 1, place, $2 FROM generate_series(1, $1) place",
  heads: `SELECT session, max(seq), max(ts) AS changed FROM records
    GROUP BY session ORDER BY changed DESC`,
};
