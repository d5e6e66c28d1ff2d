import { execFile } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, statfsSync, unlinkSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, release, type as system } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type BetterSqlite3 from "better-sqlite3";
import { median } from "simple-statistics";
import type { BenchEnvironment } from "./bench-report.ts";

/** Magic numbers of statfs(2). */
const fileSystems: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlayfs",
};

/** What figures depend on, for stores in a folder. */
export async function lookAround(folder: string): Promise<BenchEnvironment> {
  return {
    node: process.version,
    system: `${system()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    fileSystem: fileSystemOf(folder),
    syncMicroseconds: Math.round(timeSyncs(folder) * 1_000),
    sqlite: sqliteVersion(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    commit: await commitHere(),
  };
}

function fileSystemOf(folder: string): string | null {
  const { type } = statfsSync(folder);
  return process.platform === "linux" ? (fileSystems[type] ?? `0x${type.toString(16)}`) : null;
}

/** Milliseconds for 4 KiB to reach the disk. */
function timeSyncs(folder: string): number {
  const file = join(folder, "probe");
  const bytes = Buffer.alloc(4_096, "x");
  const fd = openSync(file, "wx", 0o600);
  try {
    const times = Array.from({ length: 50 }, () => {
      const begin = performance.now();
      writeSync(fd, bytes);
      fdatasyncSync(fd);
      return performance.now() - begin;
    });
    return median(times);
  } finally {
    closeSync(fd);
    unlinkSync(file);
  }
}

function sqliteVersion(): string | null {
  try {
    const Database = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;
    const database = new Database(":memory:");
    try {
      return String(database.prepare("SELECT sqlite_version()").pluck().get());
    } finally {
      database.close();
    }
  } catch {
    // It is optional.
    return null;
  }
}

async function commitHere(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "--short=12", "HEAD"]);
    return stdout.trim();
  } catch {
    return null;
  }
}
