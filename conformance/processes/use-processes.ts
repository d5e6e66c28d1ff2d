import { spawnSync } from "node:child_process";
import process from "node:process";
import type { Fixture } from "../fixture.ts";
import { startRemoteStore, type RemoteOptions, type RemoteStore } from "./remote-store.ts";

/** Runs `work` with a process, and ends it whatever happens. */
export async function withProcess<T>(
  fixture: Fixture,
  options: RemoteOptions,
  work: (remote: RemoteStore) => Promise<T>,
): Promise<T> {
  const remote = await startRemoteStore(fixture, options);
  try {
    return await work(remote);
  } finally {
    await remote.kill();
  }
}

/** Runs `work` with `count` processes that have the store open, and ends them whatever happens. */
export async function withProcesses<T>(
  count: number,
  fixture: Fixture,
  options: RemoteOptions,
  work: (remotes: readonly RemoteStore[]) => Promise<T>,
): Promise<T> {
  const starting = Array.from({ length: count }, () => startRemoteStore(fixture, options));
  const started = await Promise.allSettled(starting);
  const remotes = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  try {
    for (const one of started) if (one.status === "rejected") throw one.reason;
    return await work(remotes);
  } finally {
    await Promise.all(remotes.map((remote) => remote.kill()));
  }
}

/**
 * Runs `work` for every item, `width` at a time.
 *
 * @throws the first failure, once all that had begun are done
 */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = iterator.next();
      if (next.done === true) return;
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (failures.length > 0) throw failures[0];
}

/** Why system calls cannot be traced here, or null. */
export function whyNoTrace(): string | null {
  if (process.platform !== "linux") return "strace is for Linux";
  const probe = ["-f", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL:when=1", "true"];
  const { error, status } = spawnSync("strace", probe, { stdio: "ignore" });
  if (error !== undefined) return "strace is not installed";
  return status === 0 ? null : "strace cannot trace here";
}
