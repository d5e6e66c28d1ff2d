// Every gate, in order, cheapest first. All of them run even if one fails, so that one run tells everything.
//
// Usage: npm run check [-- --skip=test] [-- --report=gates.json]

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";

// The build comes after the tests, which leave helpers in dist/, and before the gates that look at what is packed.
const gates = [
  "typecheck",
  "lint",
  "format:check",
  "knip",
  "docs",
  "test",
  "build",
  "publint",
  "attw",
  "smoke",
];

const { values } = parseArgs({
  options: { skip: { type: "string", multiple: true, default: [] }, report: { type: "string" } },
});
const unknown = values.skip.filter((gate) => !gates.includes(gate));
if (unknown.length > 0) throw new Error(`cannot skip ${unknown.join(", ")}: no such gate`);

const results = [];
for (const gate of gates.filter((name) => !values.skip.includes(name))) {
  const start = performance.now();
  console.log(`\n--- ${gate}`);
  const { status } = spawnSync("npm", ["run", "--silent", gate], { stdio: "inherit" });
  results.push({ gate, ok: status === 0, seconds: (performance.now() - start) / 1000 });
}

console.log("\n--- check");
for (const { gate, ok, seconds } of results) {
  console.log(`${ok ? "ok    " : "FAILED"} ${gate} (${seconds.toFixed(1)} s)`);
}
if (values.report) writeFileSync(values.report, JSON.stringify(results));
if (results.some(({ ok }) => !ok)) process.exitCode = 1;
