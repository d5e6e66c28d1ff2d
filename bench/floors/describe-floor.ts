import type { FloorOperation } from "./floor.ts";
import type { FloorName } from "./open-floor.ts";

/** What a floor does for an operation, for reports. */
export function describeFloor(name: FloorName, operation: FloorOperation, synced: boolean): string {
  if (operation === "append" && synced) return syncedAppends[name];
  return operations[name][operation];
}

const operations: Readonly<Record<FloorName, Readonly<Record<FloorOperation, string>>>> = {
  memory: {
    append: "JSON.stringify + push",
    read: "JSON.parse of an array of texts",
    readLast: "slice + JSON.parse",
    list: "sort of an array",
  },
  file: {
    append: "write",
    read: "read + split + JSON.parse",
    readLast: "read of the end + JSON.parse",
    list: "readdir + stat",
  },
  sqlite: {
    append: "a bare transaction",
    read: "iterate + JSON.parse",
    readLast: "SELECT … DESC LIMIT + JSON.parse",
    list: "SELECT max(seq) … GROUP BY session",
  },
  postgres: {
    append: "a prepared INSERT",
    read: "SELECT + JSON.parse",
    readLast: "SELECT … DESC LIMIT + JSON.parse",
    list: "SELECT max(seq) … GROUP BY session",
  },
};

const syncedAppends: Readonly<Record<FloorName, string>> = {
  memory: operations.memory.append,
  file: "write + fdatasync",
  sqlite: "a bare transaction, FULL",
  postgres: operations.postgres.append,
};
