import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { postgresCheckpointer } from "../../adapters/postgres/index.ts";
import { findBinaries } from "../../cli/postgres-server/find-binaries.ts";
import { startServer } from "../../cli/postgres-server/start-server.ts";
import type { EventObject } from "../../src/index.ts";

const keeper = new URL(pathToFileURL("dist/cli/postgres-server/keeper.js"));

function isInstalled(): boolean {
  try {
    return findBinaries() !== "";
  } catch {
    return false;
  }
}

test.runIf(isInstalled())(
  "what is acknowledged outlives crashes of the server under load, once each",
  async () => {
    const server = await startServer(keeper);
    onTestFinished(() => server.stop());
    const checkpointer = postgresCheckpointer<EventObject>({ connectionString: server.url });
    await checkpointer.append("s", [{ n: 0 }]);
    const acknowledged: number[] = [0];
    const clients = [1, 2, 3, 4];
    let isDone = false;
    const client = async (number: number): Promise<void> => {
      for (let round = 1; !isDone; round += 1) {
        const n = number * 1_000_000 + round;
        await checkpointer.append("s", [{ n }]);
        acknowledged.push(n);
      }
    };
    const working = Promise.all(clients.map(client));
    for (let crash = 0; crash < 3; crash += 1) {
      const before = acknowledged.length;
      await expect
        .poll(() => acknowledged.length, { timeout: 30_000 })
        .toBeGreaterThan(before + 20);
      await server.crash();
      await server.start();
    }
    isDone = true;
    await working;
    const stored: number[] = [];
    for await (const { event } of checkpointer.read("s"))
      stored.push(Number((event as { n?: unknown }).n));
    const inOrder = (numbers: number[]): number[] => numbers.toSorted((one, two) => one - two);
    expect(inOrder(stored)).toEqual(inOrder(acknowledged));
    await checkpointer.close();
  },
);
