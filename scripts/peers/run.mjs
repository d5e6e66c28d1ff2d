// Which properties do other stores keep? Installs peers from the npm registry into a temporary folder, runs the suite
// over a bridge to each, and prints what failed and why. docs/peers.md says how each is bridged and what came of it.
//
// Usage: npm run peers [-- --only langgraph-sqlite] [-- --properties P55,P56] [-- --json peers.json]
//                      [-- --folder packages]   keeps what is installed, for the next run
// Exit code: 0 when every peer was examined, 1 when one could not be, 2 when the registry does not answer

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { describe, verdictOf } from "./describe-report.mjs";
import { installPackages, RegistryUnreachable } from "./install-packages.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    properties: { type: "string" },
    json: { type: "string" },
    folder: { type: "string" },
    peers: { type: "string", default: fileURLToPath(new URL("peers.mjs", import.meta.url)) },
  },
});
const peersUrl = pathToFileURL(resolve(values.peers)).href;
const { peers } = await import(peersUrl);
const unknown = values.only.find((name) => !peers.some((peer) => peer.name === name));
if (unknown !== undefined) {
  const known = peers.map(({ name }) => name).join(", ");
  throw new Error(`there is no peer ${unknown}; there are ${known}`);
}
const chosen = peers.filter(({ name }) => values.only.length === 0 || values.only.includes(name));

/** Runs the suite over a peer that is installed; its process shows nothing, and its files are removed with it. */
async function examine(peer, folder) {
  const scratch = mkdtempSync(join(tmpdir(), "checkpointer-peer-"));
  const child = fork(
    new URL("certify-peer.mjs", import.meta.url),
    [peersUrl, peer.name, folder, ...(values.properties === undefined ? [] : [values.properties])],
    { stdio: ["ignore", "ignore", "pipe", "ipc"], env: { ...process.env, TMPDIR: scratch } },
  );
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text) => void (complaint = text));
  let answer;
  child.once("message", (message) => void (answer = message));
  const [code] = await once(child, "close");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  if (answer === undefined) throw new Error(`its process ended with ${code}: ${complaint.trim()}`);
  return verdictOf(peer, answer);
}

/** A folder per set of packages, so that two ways to ask one peer share what is installed. */
const folderOf = ({ packages }, root) =>
  join(root, Object.keys(packages)[0]?.replaceAll(/[@/]/g, "_") ?? "none");

async function main(root) {
  const verdicts = [];
  for (const peer of chosen) {
    try {
      process.stderr.write(`${peer.name}: installing\n`);
      const folder = folderOf(peer, root);
      await installPackages(folder, peer);
      process.stderr.write(`${peer.name}: running the suite\n`);
      verdicts.push(await examine(peer, folder));
    } catch (error) {
      if (error instanceof RegistryUnreachable) throw error;
      console.error(`peers: ${peer.name} could not be examined: ${error.message}`);
      process.exitCode = 1;
    }
  }
  console.log(describe(verdicts));
  if (values.json) writeFileSync(values.json, `${JSON.stringify(verdicts, null, 2)}\n`);
}

const temporary = values.folder === undefined && mkdtempSync(join(tmpdir(), "checkpointer-peers-"));
try {
  await main(temporary || resolve(values.folder));
} catch (error) {
  if (!(error instanceof RegistryUnreachable)) throw error;
  console.error(`peers: ${error.message}; nothing was examined`);
  process.exitCode = 2;
} finally {
  if (temporary) rmSync(temporary, { recursive: true, force: true });
}
