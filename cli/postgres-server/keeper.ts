// Keeps one PostgreSQL server in a folder of its own for the process that started this one, and takes both away when
// that process is done or gone, however it ended.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { findBinaries, isOpenToAll, reachableBinaries, type ServerUser } from "./find-binaries.ts";
import type { KeeperNews, KeeperOrder } from "./start-server.ts";

/** What the server prints when it takes connections. */
const readyLine = "database system is ready to accept";

/** Every test is about a process that dies and none about a power cut, so nothing waits for a disk. */
const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "shared_buffers=64MB",
  "fsync=off",
  "full_page_writes=off",
  "autovacuum_naptime=10min",
  "log_min_messages=log",
];

interface Cluster {
  readonly bin: string;
  readonly data: string;
  readonly port: number;
  readonly user: ServerUser | undefined;
}

let folder: string | undefined;
let server: ChildProcess | undefined;
let leaving: Promise<void> | undefined;

async function create(): Promise<{ cluster: Cluster; url: string }> {
  const native = findBinaries();
  const user = await serverUser();
  folder = await mkdtemp(join(await placeFor(user), "ckpt-postgres-"));
  // The server's user has to get through, and nobody has to see what is there.
  if (user !== undefined) await chmod(folder, 0o711);
  const bin = await reachableBinaries(native, user, folder);
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  const password = randomBytes(18).toString("base64url");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of user === undefined ? [] : [data, passwordFile]) {
    await chown(path, user?.uid ?? 0, user?.gid ?? 0);
  }
  const options = ["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync"];
  const place = ["--pgdata", data, "--username=postgres", "--pwfile", passwordFile];
  await promisify(execFile)(join(bin, "initdb"), [...options, ...place], { ...user, cwd: data });
  const port = await freePort();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return { cluster: { bin, data, port, user }, url };
}

/** PostgreSQL refuses to run as root, who can run it as somebody else. */
async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const found = users.find(([name]) => name === wanted);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody");
}

async function placeFor(user: ServerUser | undefined): Promise<string> {
  return user === undefined || (await isOpenToAll(tmpdir())) ? tmpdir() : "/tmp";
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function start({ bin, data, port, user }: Cluster): Promise<void> {
  return new Promise((resolve, reject) => {
    const flags = settings.flatMap((setting) => ["-c", setting]);
    const args = ["-D", data, "-p", String(port), ...flags];
    const child = spawn(join(bin, "postgres"), args, {
      ...user,
      cwd: data,
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = child;
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-4_096);
      if (output.includes(readyLine)) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server ended: ${output.trim()}`)));
  });
}

/** @param signal - SIGINT lets go of clients and ends in order, SIGQUIT ends as in a crash */
async function end(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  const child = server;
  server = undefined;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  child.kill(signal);
  await gone;
}

function leave(): Promise<void> {
  leaving ??= (async () => {
    await end("SIGQUIT");
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit();
  })();
  return leaving;
}

function tell(news: KeeperNews): void {
  if (process.connected) process.send?.(news);
}

async function keep(): Promise<void> {
  const { cluster, url } = await create();
  await start(cluster);
  process.on("message", (order: KeeperOrder) => {
    const work = order === "crash" ? end("SIGQUIT") : start(cluster);
    work.then(() => tell({ done: order }), fail);
  });
  tell({ url });
}

function fail(error: unknown): void {
  tell({ failed: error instanceof Error ? error.message : String(error) });
  void leave();
}

process.on("disconnect", () => void leave());
// Ctrl-C is for the process that started this one; when it goes, so does this.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
keep().catch(fail);
