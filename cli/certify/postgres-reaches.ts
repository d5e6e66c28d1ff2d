import type pg from "pg";
import type { DamageKind, Fixture } from "../../conformance/fixture.ts";

/** How the suite damages records and keeps writers out: as any other program would, with SQL. */
export function postgresReaches(
  connectionString: string,
  schemaName: string,
): Pick<Fixture, "storage" | "damage" | "block"> {
  const schema = quoted(schemaName);
  return {
    storage: "engine",
    damage: (sessionId, seq, kind) =>
      withClient(connectionString, async (client) => {
        await client.query(damages[kind](schema), [sessionId, seq]);
      }),
    async block(sessionId) {
      const client = await connect(connectionString);
      await client.query("BEGIN");
      const holding = `SELECT 1 FROM ${schema}.sessions WHERE name = $1 FOR UPDATE`;
      await client.query(holding, [sessionId]);
      return () => client.end();
    },
  };
}

/** Removes a schema and everything in it. */
export function dropSchema(connectionString: string, schemaName: string): Promise<void> {
  return withClient(connectionString, async (client) => {
    await client.query("SET client_min_messages = error");
    await client.query(`DROP SCHEMA IF EXISTS ${quoted(schemaName)} CASCADE`);
  });
}

const where = (schema: string): string =>
  `WHERE session = (SELECT id FROM ${schema}.sessions WHERE name = $1) AND seq = $2`;

/** Garbled are the first character of JSON and the last byte of what a codec made. */
const damages: Readonly<Record<DamageKind, (schema: string) => string>> = {
  garble: (schema) => `UPDATE ${schema}.records SET payload = '?' || substr(payload, 2),
    sealed = set_byte(sealed, length(sealed) - 1, 255 - get_byte(sealed, length(sealed) - 1))
    ${where(schema)}`,
  remove: (schema) => `DELETE FROM ${schema}.records ${where(schema)}`,
};

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const { default: driver } = await import("pg");
  const client = new driver.Client({ connectionString });
  // The server may be restarted under it, which is nobody's failure.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function withClient(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = await connect(connectionString);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
