// Looks longer than CI has time for: certifies every built-in store with fresh seeds and more generated runs, round
// after round, and stops at the first failure with the line that leads back to it. Postgres comes first, with 500 backends
// that are ended under writers.
//
// Usage: npm run soak [-- --minutes=30] [-- --effort=5]

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    effort: { type: "string", default: "5" },
  },
});
const end = Date.now() + Number(values.minutes) * 60_000;
const subjects = ["memory", "file", "sqlite", "postgres"].flatMap((store) =>
  ["plain", "compressed", "sealed"].map((pipeline) => ({ store, pipeline })),
);

const backends = "test/postgres/ended-backends.test.ts";
const { status: ended } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", backends],
  { stdio: "inherit", env: { ...process.env, ENDED_BACKENDS: "500" } },
);
if (ended !== 0) process.exitCode = 1;

let runs = 0;
while (Date.now() < end && process.exitCode === undefined) {
  const seed = randomInt(2 ** 31);
  for (const { store, pipeline } of subjects) {
    const args = [
      "certify",
      store,
      "--pipeline",
      pipeline,
      "--seed",
      seed,
      "--effort",
      values.effort,
    ];
    console.log(`ckpt ${args.join(" ")}`);
    const { status } = spawnSync(process.execPath, ["dist/cli/main.js", ...args.map(String)], {
      stdio: "inherit",
    });
    runs += 1;
    if (status !== 0) {
      process.exitCode = 1;
      break;
    }
    if (Date.now() >= end) break;
  }
}
console.log(
  `soak: ${runs} certifications, ${process.exitCode === 1 ? "the last run failed" : "all held"}`,
);
