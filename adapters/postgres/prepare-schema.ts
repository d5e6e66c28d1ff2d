import { CheckpointError, quote } from "../../src/index.ts";
import { binaryArray } from "./binary-array.ts";
import type { Database, Row, Run } from "./database.ts";
import { foreignTables, quoteIdentifier, type Layout } from "./schema.ts";
import type { Statement } from "./statements.ts";

/** The tables of one schema: whether they are there, and making them. */
export interface Schema {
  /** Whether there is anything to look at; looking creates nothing. */
  exists(): Promise<boolean>;
  /** Makes the tables, or brings them up to date. Any number of processes may do so at once. */
  ensure(): Promise<void>;
}

/** "CKPT" in ASCII: keeps our advisory locks apart from other people's. */
const lockSpace = 0x434b5054;

/** The oldest server whose syntax is enough. */
const oldestServer = 130_000;

/**
 * The schema `name`, laid out in one way. Nothing is written before it is known to be ours, or to have no tables of these
 * names, and not to be from a newer version.
 */
export function createSchema(database: Database, name: string, layout: Layout): Schema {
  const { marker, migrations } = layout;
  const newest = migrations.length;
  const schema = quoteIdentifier(name);
  const foreign = binaryArray("text", foreignTables(layout));
  let version = 0;
  let preparing: Promise<void> | undefined;

  const plain = (text: string): Statement => ({ name: "", text });
  // From the catalog's tables: functions such as to_regclass answer from a cache, which knows nothing
  // yet of what the process that had the lock before has made.
  const identify = plain(`SELECT current_setting('server_version_num')::int,
      current_setting('server_encoding'), count(n.oid) > 0,
      coalesce(bool_or(c.relname = $2::text), false),
      coalesce(bool_or(c.relname = ANY ($3::text[])), false)
    FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
    WHERE n.nspname = $1`);

  /** The version that is there; 0 for none. */
  async function look(run: Run): Promise<{ found: number; hasNamespace: boolean }> {
    const [row = []] = await run(identify, [name, marker, foreign]);
    const [server, encoding, hasNamespace, hasVersion, hasTables] = row;
    if (Number(server) < oldestServer) throw refusal("wanted PostgreSQL 13 or newer");
    if (encoding !== "UTF8") throw refusal("wanted a database in UTF8");
    if (hasVersion !== true && hasTables === true) {
      throw refusal("it has tables of something else");
    }
    if (hasVersion !== true) return { found: 0, hasNamespace: hasNamespace === true };
    const [versionRow] = await run(plain(`SELECT version FROM ${schema}.${marker}`), []);
    return { found: requireKnown(versionRow), hasNamespace: true };
  }

  function requireKnown(row: Row | undefined): number {
    const found = row?.[0];
    if (typeof found !== "number") throw refusal("it does not say which version it is");
    if (found > newest) {
      throw refusal(`it has version ${found}, and this package knows up to ${newest}`);
    }
    return found;
  }

  function refusal(detail: string): CheckpointError {
    return new CheckpointError("UNSUPPORTED_FORMAT", `Cannot use schema ${quote(name)}: ${detail}`);
  }

  const migrate = (): Promise<void> =>
    database.transact(async (run) => {
      const lock = `SELECT pg_advisory_xact_lock(${lockSpace}, hashtext($1))`;
      await run(plain(lock), [name]);
      const { found, hasNamespace } = await look(run);
      // Asked first, since a role that may use a schema need not be allowed to make one.
      if (!hasNamespace) await run(plain(`CREATE SCHEMA ${schema}`), []);
      for (const step of migrations.slice(found)) await run(plain(step(schema)), []);
    });

  async function prepare(): Promise<void> {
    try {
      const persist = { isRepeatable: true };
      const { found } = await database.persist("open", () => look(database.run), persist);
      if (found < newest) await database.persist("set up the schema", migrate, persist);
      version = newest;
    } finally {
      preparing = undefined;
    }
  }

  return {
    async exists() {
      if (version > 0) return true;
      const lookOnce = (): ReturnType<typeof look> => look(database.run);
      const { found } = await database.persist("open", lookOnce, { isRepeatable: true });
      // An older layout can be read only once it is brought up to date.
      if (found === newest) version = found;
      else if (found > 0) await this.ensure();
      return found > 0;
    },
    async ensure() {
      if (version === 0) await (preparing ??= prepare());
    },
  };
}
