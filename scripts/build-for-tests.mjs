// Vitest's global setup. Tests of crashes, locks and the command line start processes of their own, and Node 20 runs
// no TypeScript; so a fresh clone needs `npm ci` alone before `npm test`, never a build first.

import { execFileSync } from "node:child_process";
import process from "node:process";

export function setup() {
  const tsc = "node_modules/typescript/bin/tsc";
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.test.json"], { stdio: "inherit" });
}
