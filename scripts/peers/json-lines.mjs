// Nobody's package: the append to a JSONL file that many agents write by hand, as a baseline. A session is a file, an
// event a line. Everything is synchronous, so that nothing of one process comes between a look and a write.

import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createBridge, requireHead } from "./bridge.mjs";

const fileOf = (directory, sessionId) => join(directory, `${encodeURIComponent(sessionId)}.jsonl`);

export const jsonLines = {
  name: "jsonl",
  title: "a JSONL file, by hand",
  packages: {},
  manifest: { concurrency: "instance", durability: "process", readIsolation: "snapshot" },
  storage: "files",
  logFile: fileOf,
  open: async ({ directory }) => createBridge(logOf(directory)),
};

function logOf(directory) {
  const read = (sessionId) => {
    try {
      const lines = readFileSync(fileOf(directory, sessionId), "utf8").split("\n").slice(0, -1);
      return lines.map((line, index) => ({ seq: index + 1, ...JSON.parse(line) }));
    } catch (error) {
      if (error.code === "ENOENT") return [];
      throw error;
    }
  };
  const headOf = (sessionId) => read(sessionId).length;
  return {
    async append(sessionId, records, expectedHead) {
      const head = requireHead(sessionId, headOf(sessionId), expectedHead);
      if (records.length === 0) return head;
      const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
      appendFileSync(fileOf(directory, sessionId), lines);
      return headOf(sessionId);
    },
    read: async (sessionId) => read(sessionId),
    head: async (sessionId) => headOf(sessionId),
    async list() {
      const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
      return names.map((name) => {
        const id = decodeURIComponent(name.slice(0, -".jsonl".length));
        return { id, head: headOf(id), mtime: statSync(join(directory, name)).mtimeMs };
      });
    },
    delete: async (sessionId) => rmSync(fileOf(directory, sessionId), { force: true }),
  };
}
