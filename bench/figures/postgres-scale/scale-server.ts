import { rm } from "node:fs/promises";
import {
  createCluster,
  endServer,
  startCluster,
  urlOf,
} from "../../../cli/postgres-server/cluster.ts";
import { findBinaries } from "../../../cli/postgres-server/find-binaries.ts";
import { makeFolder, serverUser } from "../../../cli/postgres-server/server-user.ts";

/**
 * As servers are in use, but for `fsync`, which says more about a disk than about a size. Autovacuum
 * comes as often as it can, since a run is short.
 */
const settings = [
  "full_page_writes=on",
  "shared_buffers=256MB",
  "max_wal_size=8GB",
  "checkpoint_timeout=30min",
  "autovacuum_naptime=1s",
];

/** Starts a server that is ended and removed by `stop`. */
export async function startScaleServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const user = await serverUser();
  const folder = await makeFolder(user, "ckpt-scale-");
  const cluster = { ...(await createCluster(findBinaries(), user, folder)), settings };
  const server = await startCluster(cluster);
  return {
    url: urlOf(cluster),
    async stop() {
      await endServer(server, "SIGQUIT");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
