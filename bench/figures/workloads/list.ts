import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import type { Checkpointer } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import type { Workload } from "../workload.ts";

const sessions = 10_000;
const atOnce = 64;

/** The list of 10,000 sessions, whole and its first page. */
export const list: Workload = {
  name: "list",
  async prepare(folder) {
    const dir = join(folder, "file");
    const file = fileCheckpointer({ dir, durability: "process", lockLingerMs: 0 });
    const sqlite = sqliteCheckpointer({ file: join(folder, "a.db") });
    await createSessions(file);
    await createSessions(sqlite);
    return {
      contestants: [
        contestant("file", () => file.list()),
        contestant("file page", () => file.list({ limit: 20 })),
        contestant("readdir + stat", () => {
          const names = readdirSync(dir);
          for (const name of names) statSync(join(dir, name));
          return names;
        }),
        contestant("SQLite", () => sqlite.list()),
        contestant("SQLite page", () => sqlite.list({ limit: 20 })),
      ],
      comparisons: [
        {
          what: "file, list 10k sessions / readdir + stat",
          subject: "file",
          floor: "readdir + stat",
        },
        { what: "file, first 20 of 10k sessions", subject: "file page" },
        { what: "SQLite, list 10k sessions", subject: "SQLite" },
        { what: "SQLite, first 20 of 10k sessions", subject: "SQLite page" },
      ],
      async close() {
        await file.close();
        await sqlite.close();
      },
    };
  },
};

async function createSessions(store: Checkpointer): Promise<void> {
  const events = agentEvents(1);
  for (let from = 0; from < sessions; from += atOnce) {
    const count = Math.min(atOnce, sessions - from);
    const ids = Array.from({ length: count }, (_, index) => `session-${from + index}`);
    await Promise.all(ids.map((id) => store.append(id, events)));
  }
}

function contestant(
  name: string,
  look: () => Promise<readonly unknown[]> | readonly unknown[],
): { name: string; operations: number; run: () => Promise<void> } {
  return {
    name,
    operations: 1,
    async run() {
      if ((await look()).length === 0) throw new Error(`${name} found nothing`);
    },
  };
}
