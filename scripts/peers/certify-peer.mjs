// Runs the suite over one peer, in a process of its own: what a peer prints, or throws where nobody can catch it, ends
// with it. Gives the report to its parent.

import process from "node:process";
import { certify } from "../../dist/conformance/index.js";
import { findPeer, fixturesOf } from "./peer-fixture.mjs";

const [peers, name, folder, only] = process.argv.slice(2);
const peer = await findPeer(peers, name);

/** Errors that came from nobody's call: told, and no verdict. */
const stray = [];
process.on("uncaughtException", (error) => void stray.push(String(error)));

const report = await certify(fixturesOf(peer, peers, folder), {
  level: "L3",
  only: only === undefined ? undefined : only.split(","),
  patience: 60_000,
});
process.send({ report, stray }, () => process.exit());
