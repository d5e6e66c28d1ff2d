import { statfsSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import Database from "better-sqlite3";

/** Magic numbers of statfs(2). */
const fileSystems: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlayfs",
};

/** What the figures depend on, in one line. */
export function describeEnvironment(folder: string): string {
  const { type } = statfsSync(folder);
  const processor = cpus()[0]?.model.trim() ?? "unknown processor";
  return [
    `Node ${process.version}`,
    `SQLite ${sqliteVersion()}`,
    `${process.platform} ${release()}`,
    `${availableParallelism()} × ${processor}`,
    `${fileSystems[type] ?? `file system 0x${type.toString(16)}`}`,
    `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  ].join(", ");
}

function sqliteVersion(): string {
  const database = new Database(":memory:");
  try {
    return String(database.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    database.close();
  }
}
