import { spawn, spawnSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { freePort, handOver } from "../../cli/postgres-server/cluster.ts";
import { makeFolder, serverUser } from "../../cli/postgres-server/server-user.ts";

/** A pooler in front of a server, in transaction mode. */
interface Pgbouncer {
  /** Connection string of the server's user, through the pooler. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

// Debian puts it where only root looks.
const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` };

/** Its version as one number, 1.18 as 118; undefined where it is not installed. */
export function pgbouncerVersion(): number | undefined {
  const { stdout } = spawnSync("pgbouncer", ["--version"], { encoding: "utf8", env });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}

/** The first version that keeps prepared statements: an older one does not know the setting. */
export const keepsStatements = 121;

/**
 * Starts a pooler on a free port. It gives every transaction another connection, and takes it away
 * when the transaction is over.
 *
 * @param preparedStatements - how many it keeps for each connection
 */
export async function startPgbouncer(
  serverUrl: string,
  preparedStatements: number,
): Promise<Pgbouncer> {
  const { hostname, port, username, password, pathname } = new URL(serverUrl);
  const user = await serverUser();
  const folder = await makeFolder(user, "ckpt-pgbouncer-");
  const [settings, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  const ownPort = await freePort();
  const isOld = (pgbouncerVersion() ?? 0) < keepsStatements;
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port || 5432}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${ownPort}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${users}`,
    "pool_mode = transaction",
    // The next transaction of a client is to meet another connection.
    "server_round_robin = 1",
    ...(isOld ? [] : [`max_prepared_statements = ${preparedStatements}`]),
  ];
  await writeFile(settings, lines.join("\n"), { mode: 0o600 });
  const line = `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`;
  await writeFile(users, line, { mode: 0o600 });
  await handOver([settings, users], user);
  // The shell ends it when this process is gone, however that happens: its input ends then.
  const script = 'pgbouncer "$0" & read -r _; kill $!; wait $!';
  const child = spawn("sh", ["-c", script, settings], {
    ...user,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const gone = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("process up")) resolve();
    });
    void gone.then(() => reject(new Error(`pgbouncer ended: ${output.trim()}`)));
  });
  const url = new URL(`postgres://127.0.0.1:${ownPort}${pathname}`);
  url.username = decodeURIComponent(username);
  url.password = decodeURIComponent(password);
  return {
    url: url.href,
    async stop() {
      child.stdin.end();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
