import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { findBinaries } from "./find-binaries.ts";
import { startServer } from "./start-server.ts";

const compiled = pathToFileURL("dist/cli/postgres-server/start-server.js").href;
const keeper = new URL(pathToFileURL("dist/cli/postgres-server/keeper.js"));

function isInstalled(): boolean {
  try {
    return findBinaries() !== "";
  } catch {
    return false;
  }
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

test.runIf(isInstalled())("startServer() gives a server that survives a crash", async () => {
  const server = await startServer(keeper);
  onTestFinished(() => server.stop());
  await ask(server.url, "CREATE TABLE kept AS SELECT 1 AS n");
  await server.crash();
  await expect(ask(server.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  await server.start();
  expect(await ask(server.url, "SELECT n FROM kept")).toBe(1);
});

test.runIf(isInstalled())("a server ends with the process that started it", async () => {
  const code = `
    import { startServer } from ${JSON.stringify(compiled)};
    const { url } = await startServer();
    process.stdout.write(url, () => process.kill(process.pid, "SIGKILL"));`;
  const args = ["--input-type=module", "--eval", code];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(signal).toBe("SIGKILL");
  await vi.waitFor(() => expect(ask(stdout, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/), 20_000);
});
