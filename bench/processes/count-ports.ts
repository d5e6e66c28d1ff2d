import { createRequire } from "node:module";
import { hookFileSystem, type FileCall } from "../../conformance/faults/hook-file-system.ts";
import type { PortCounts } from "./messages.ts";

/** Counts what a process asks of its file system and of the drivers that it loads. */
export interface CountedPorts {
  /** What was counted since the last time. */
  readonly take: () => PortCounts;
}

type PlainFunction = (...args: readonly unknown[]) => unknown;
type Functions = Record<string, unknown>;

/**
 * Hooks `node:fs`, and `better-sqlite3` and `pg` where the module at `url` would find them. Has to run
 * before that module is loaded.
 */
export async function countPorts(url: string): Promise<CountedPorts> {
  const calls = new Map<string, number>();
  let writtenBytes = 0;
  const add = (name: string): void => void calls.set(name, (calls.get(name) ?? 0) + 1);
  await hookFileSystem({
    after(call, result) {
      add(call.name);
      writtenBytes += bytesOf(call, result);
    },
  });
  hookSqlite(url, add);
  hookPostgres(url, add);
  return {
    take() {
      const counts = { calls: Object.fromEntries(calls), writtenBytes };
      calls.clear();
      writtenBytes = 0;
      return counts;
    },
  };
}

/** Bytes that a call has written. */
function bytesOf({ name, args }: FileCall, result: unknown): number {
  if (name === "write" || name === "writev") {
    const { bytesWritten = result } = Object(result) as { bytesWritten?: unknown };
    return typeof bytesWritten === "number" ? bytesWritten : 0;
  }
  if (name !== "writeFile" && name !== "appendFile") return 0;
  const [, data] = args;
  if (typeof data === "string") return Buffer.byteLength(data);
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}

/** A statement of better-sqlite3, as far as counting goes. */
interface CountedStatement {
  readonly source: string;
  readonly readonly: boolean;
  readonly database: { readonly inTransaction: boolean };
}

/** Every statement that runs, and every transaction: those that begin, and changes outside of one. */
function hookSqlite(url: string, add: (name: string) => void): void {
  const load = driverOf(url, "better-sqlite3") as
    (new (file: string) => { prepare(sql: string): object; close(): void }) | undefined;
  if (load === undefined) return;
  const database = new load(":memory:");
  const statement = database.prepare("SELECT 1");
  for (const method of ["run", "get", "all", "iterate"]) {
    hook(Object.getPrototypeOf(statement) as Functions, method, (self) => {
      const { source, readonly, database: owner } = self as CountedStatement;
      add("statement");
      if (begins(source) || (!readonly && !owner.inTransaction)) add("transaction");
    });
  }
  for (const method of ["exec", "pragma"]) {
    hook(Object.getPrototypeOf(database) as Functions, method, (_self, [sql]) => {
      add("statement");
      if (begins(String(sql))) add("transaction");
    });
  }
  database.close();
}

/** Every query, which is a round trip, and every transaction: those that begin, and queries outside. */
function hookPostgres(url: string, add: (name: string) => void): void {
  const driver = driverOf(url, "pg") as { Client?: { prototype: Functions } } | undefined;
  if (driver?.Client === undefined) return;
  const inside = new WeakSet<object>();
  hook(driver.Client.prototype, "query", (self, [query]) => {
    const client = self as object;
    const sql = typeof query === "string" ? query : (query as { text?: unknown } | null)?.text;
    add("statement");
    add("roundTrip");
    if (!inside.has(client)) add("transaction");
    if (begins(String(sql))) inside.add(client);
    else if (/^\s*(?:commit|end|rollback)\s*;?\s*$/i.test(String(sql))) inside.delete(client);
  });
}

const begins = (sql: string): boolean => /^\s*(?:begin|start\s+transaction)/i.test(sql);

/** The package as the module at `url` would get it; undefined where it is not installed. */
function driverOf(url: string, name: string): unknown {
  for (const from of [url, import.meta.url]) {
    try {
      return createRequire(from)(name);
    } catch {
      // Not there, or not for this system.
    }
  }
  return undefined;
}

function hook(
  owner: Functions,
  name: string,
  before: (self: unknown, args: readonly unknown[]) => void,
): void {
  const plain = owner[name];
  if (typeof plain !== "function") return;
  owner[name] = function (this: unknown, ...args: readonly unknown[]): unknown {
    before(this, args);
    return (plain as PlainFunction).apply(this, [...args]);
  };
}
