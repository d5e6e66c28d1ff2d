import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFile, chown, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { reachableBinaries } from "./find-binaries.ts";
import type { ServerUser } from "./server-user.ts";

/** The data of one server, and what it takes to run it. */
export interface Cluster {
  readonly bin: string;
  readonly data: string;
  readonly port: number;
  /** Whom the server runs as; undefined: as this process. */
  readonly user: ServerUser | undefined;
  readonly password: string;
  /** Settings beyond those that all have, as `name=value`. */
  readonly settings: readonly string[];
}

/** What the server prints when it takes connections, as a primary or for reading alone. */
const readyLine = "database system is ready to accept";

/** Every test is about a process that dies and none about a power cut, so nothing waits for a disk. */
const commonSettings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "shared_buffers=64MB",
  "fsync=off",
  "full_page_writes=off",
  "autovacuum_naptime=10min",
  "log_min_messages=log",
];

/** Makes the data of a new server in `folder`, with a superuser whose password nobody else knows. */
export async function createCluster(
  native: string,
  user: ServerUser | undefined,
  folder: string,
): Promise<Cluster> {
  const bin = await reachableBinaries(native, user, folder);
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  const password = randomBytes(18).toString("base64url");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await handOver([data, passwordFile], user);
  const options = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync"];
  const place = ["--pgdata", data, "--username=postgres", "--pwfile", passwordFile];
  await promisify(execFile)(join(bin, "initdb"), [...options, ...place], { ...user, cwd: data });
  return { bin, data, port: await freePort(), user, password, settings: [] };
}

/**
 * Makes a standby of a server that does not run, and the primary that goes with it: a commit is
 * acknowledged once the standby shows it to readers.
 */
export async function addStandby(
  cluster: Cluster,
  folder: string,
): Promise<{ primary: Cluster; standby: Cluster }> {
  const data = join(folder, "standby");
  await cp(cluster.data, data, { recursive: true });
  await writeFile(join(data, "standby.signal"), "", { mode: 0o600 });
  const { port, user, password } = cluster;
  const source = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  const paths = await readdir(data, { recursive: true });
  await handOver([data, ...paths.map((path) => join(data, path))], user);
  const settings = ["synchronous_standby_names=*", "synchronous_commit=remote_apply"];
  // A standby that has just lost its primary sleeps for this long, 5 s by default, before it sees that it is promoted.
  const standbySettings = ["wal_retrieve_retry_interval=100ms"];
  return {
    primary: { ...cluster, settings },
    standby: { ...cluster, data, port: await freePort(), settings: standbySettings },
  };
}

/** Connection string of the superuser. */
export function urlOf({ password, port }: Cluster): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** Starts a server; resolves once it takes connections. */
export function startCluster({ bin, data, port, user, settings }: Cluster): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const flags = [...commonSettings, ...settings].flatMap((setting) => ["-c", setting]);
    const child = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...flags], {
      ...user,
      cwd: data,
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-4_096);
      if (output.includes(readyLine)) resolve(child);
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server ended: ${output.trim()}`)));
  });
}

/**
 * Ends a server and waits for all of its processes, which hold its output open.
 *
 * @param signal - SIGQUIT ends it as in a crash, SIGKILL takes its first process alone away
 */
export async function endServer(
  server: ChildProcess,
  signal: "SIGQUIT" | "SIGKILL",
): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => void server.once("close", () => resolve()));
  server.kill(signal);
  await gone;
}

export async function handOver(
  paths: readonly string[],
  user: ServerUser | undefined,
): Promise<void> {
  if (user === undefined) return;
  for (const path of paths) await chown(path, user.uid, user.gid);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
