import type pg from "pg";
import { ConnectionLost } from "./postgres-errors.ts";
import type { Driver } from "./load-driver.ts";
import type { ResolvedPlace } from "./postgres-options.ts";

/** Where the database is; the server that takes writes, where there are several. */
export interface Hosts {
  /** Whether another server may take over. */
  readonly hasOthers: boolean;
  /** Whether the pool gives up by itself when no connection becomes free in time. */
  readonly timesOut: boolean;
  /** A connection of the server that takes writes. */
  connect(): Promise<pg.PoolClient>;
  /** Says that the server is gone or takes no writes any more: it is looked for again. */
  lost(): void;
  /** What a connection beside the pool needs, for listening. */
  config(): Promise<pg.ClientConfig>;
  close(): Promise<void>;
}

/** Milliseconds to wait for a server to answer before the next one is tried. */
const probeTimeoutMs = 3_000;

/** The one pool that was handed in, or the own pools, one for each server and made when needed. */
export function createHosts(driver: Driver, options: ResolvedPlace): Hosts {
  return options.pool === undefined
    ? ownPools(driver, options)
    : foreignPool(options.pool as pg.Pool);
}

function foreignPool(pool: pg.Pool): Hosts {
  return {
    hasOthers: false,
    timesOut: false,
    connect: async () => pool.connect(),
    lost: () => undefined,
    config: async () => pool.options,
    close: async () => undefined,
  };
}

function ownPools(driver: Driver, options: ResolvedPlace): Hosts {
  const { connectionString, hosts, maxConnections, busyTimeoutMs } = options;
  const configs = hosts.length === 0 ? [{}] : hosts.map(toConfig);
  const pools = new Map<number, pg.Pool>();
  const hasOthers = configs.length > 1;
  let current = 0;
  let isKnown = !hasOthers;
  let finding: Promise<number> | undefined;

  function configOf(index: number): pg.PoolConfig {
    return {
      // What stands beside a connection string is overruled by what stands in it.
      connectionString: withHost(connectionString ?? "", configs[index]),
      application_name: "checkpointer-kit",
      keepAlive: true,
      connectionTimeoutMillis: hasOthers ? Math.min(busyTimeoutMs, probeTimeoutMs) : busyTimeoutMs,
    };
  }

  function poolAt(index: number): pg.Pool {
    const known = pools.get(index);
    if (known !== undefined) return known;
    const pool = new driver.Pool({
      ...configOf(index),
      max: maxConnections,
      // An idle store must not keep the process.
      allowExitOnIdle: true,
    });
    // A connection that breaks while it is idle is nobody's loss; the pool drops it.
    pool.on("error", () => undefined);
    // One that is ended in the same packet that made it has no listener yet, which would end the process.
    pool.on("connect", (client) => client.on("error", () => undefined));
    pools.set(index, pool);
    return pool;
  }

  async function takesWrites(index: number): Promise<boolean> {
    const text = "SELECT current_setting('transaction_read_only') = 'off'";
    const { rows } = await poolAt(index).query<[boolean]>({ text, rowMode: "array" });
    return rows[0]?.[0] === true;
  }

  async function find(): Promise<number> {
    let reason: unknown = new Error("none of the hosts takes writes");
    // The next one first: it is more likely to have taken over than the one that was lost.
    for (let step = 1; step <= configs.length; step += 1) {
      const index = (current + step) % configs.length;
      try {
        if (!(await takesWrites(index))) continue;
        current = index;
        isKnown = true;
        return index;
      } catch (error) {
        reason = error;
      }
    }
    throw new ConnectionLost(false, reason);
  }

  async function primary(): Promise<number> {
    if (isKnown) return current;
    finding ??= find().finally(() => (finding = undefined));
    return finding;
  }

  return {
    hasOthers,
    timesOut: true,
    connect: async () => poolAt(isKnown ? current : await primary()).connect(),
    lost() {
      isKnown = !hasOthers;
    },
    config: async () => configOf(await primary()),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

interface HostConfig {
  readonly host?: string;
  readonly port?: number;
}

function toConfig({ host, port }: ResolvedPlace["hosts"][number]): HostConfig {
  return port === undefined ? { host } : { host, port };
}

/** Puts a host into a URL, whose own host and port give way. */
function withHost(text: string, config: HostConfig | undefined): string {
  if (config?.host === undefined) return text;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const { port } = config;
  return text.replace(
    /^([a-z]+:\/\/(?:[^/?#]*@)?)(?:\[[^\]]*\]|[^:/?#]*)(:\d*)?/,
    (_all, start: string, own = "") => `${start}${host}${port === undefined ? own : `:${port}`}`,
  );
}
