import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectTo } from "./client.js";
import { open } from "./process-module.js";
import { startServer } from "./start-server.js";

/**
 * A fixture with a server of its own: what all adapters in this folder have in common.
 *
 * @param {Parameters<typeof open>[0]["adapter"]} adapter
 * @returns {Promise<import("checkpointer-kit/conformance").Fixture & { address: string }>}
 */
export async function serverFixture(adapter) {
  const folder = await mkdtemp(join(tmpdir(), "minikv-"));
  let server = await startServer(folder);
  const place = { adapter, address: server.address };
  return {
    name: adapter,
    address: server.address,
    // The server answers for its files, as a database does.
    storage: "engine",
    processModule: new URL("process-module.js", import.meta.url).href,
    processArgument: place,
    open: () => open(place),
    async reopen() {
      await server.kill();
      server = await startServer(folder);
      return open(place);
    },
    async dispose() {
      await server.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs `work` with a connection of its own, past all adapters. */
export async function withConnection(address, work) {
  const call = connectTo(address);
  try {
    await work(call);
  } finally {
    call.close();
  }
}
