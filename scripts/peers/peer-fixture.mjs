// A peer as the suite uses it, and as the suite's child processes open it.

import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loaderOf } from "./install-packages.mjs";

/**
 * Opens a peer's store; what child processes of the suite call, too. Its argument survives JSON.
 *
 * @public
 */
export async function open({ peers, name, folder, directory }) {
  const peer = await findPeer(peers, name);
  return peer.open({ load: await loaderOf(folder), directory });
}

/** The peer of that name, from the module at `peers` (a URL). */
export async function findPeer(peers, name) {
  const module = await import(peers);
  return module.peers.find((peer) => peer.name === name);
}

/** What makes an empty store of a peer that is installed in `folder`. */
export function fixturesOf(peer, peers, folder) {
  return () => {
    const root = mkdtempSync(join(tmpdir(), "checkpointer-peer-"));
    const directory = join(root, "store");
    mkdirSync(directory);
    const place = { peers, name: peer.name, folder, directory };
    const openOnce = oneHandle(() => open(place));
    const isPersistent = peer.manifest.durability !== "none";
    const isShared = peer.manifest.concurrency !== "instance";
    return {
      name: peer.name,
      manifest: peer.manifest,
      storage: peer.storage,
      open: isShared ? () => open(place) : openOnce,
      dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
      ...(isPersistent && { directory, reopen: isShared ? () => open(place) : openOnce }),
      ...(isShared && { processModule: import.meta.url, processArgument: place }),
      ...(peer.logFile && { logFile: (sessionId) => peer.logFile(directory, sessionId) }),
    };
  };
}

/** Where one object is all that is asked about, everybody gets the same one, until it is closed. */
function oneHandle(make) {
  let current;
  return () => {
    current ??= make().then((handle) => ({
      ...handle,
      async close() {
        current = undefined;
        await handle.close();
      },
    }));
    return current;
  };
}
