import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("server.js", import.meta.url));

/**
 * Starts a minikv server that keeps its data in `folder`. It ends with the process that started it.
 *
 * @param {string} folder
 */
export async function startServer(folder) {
  const server = spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  await Promise.race([once(server.stdout, "data"), ended.then(throwEnded)]);
  // It is waited for where that matters; by itself it keeps nobody alive.
  for (const one of [server, server.stdin, server.stdout]) one.unref();
  return {
    address: join(folder, "socket"),
    /** Ends it as a crash would. */
    async kill() {
      server.ref();
      server.kill("SIGKILL");
      await ended;
    },
  };
}

function throwEnded([code]) {
  throw new Error(`the minikv server ended with ${code}`);
}
