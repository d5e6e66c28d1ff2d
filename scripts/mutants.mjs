// Changes the engine and the memory adapter in every small way that Stryker knows, and asks the conformance suite, as
// the only tests, whether it notices. Stryker is fetched at run time into a copy of the repository; it is a dependency
// of nothing here. All files take about half an hour on two cores.
//
// Usage: npm run mutants [-- src/commit-group.ts ...]

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

const stryker = "9.6.1";
const files = process.argv.slice(2);
const engine =
  "append-queue arguments clock commit-group create-checkpointer decode-record followers fork-session head-token " +
  "list-page read-events remembered-sessions serialize-event session-id tail-events verify-session waker";
const everything = [
  "adapters/memory/memory-store.ts",
  ...engine.split(" ").map((name) => `src/${name}.ts`),
];

const copy = mkdtempSync(join(tmpdir(), "checkpointer-mutants-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
const tracked = execFileSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  { encoding: "utf8" },
).split("\0");
for (const file of tracked.filter((name) => existsSync(name) && name !== "")) {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  copyFileSync(file, join(copy, file));
}
// Beside the packages of the repository, which it finds one folder up.
symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
const tools = join(copy, "mutants");
mkdirSync(tools);
writeFileSync(join(tools, "package.json"), "{}");
const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${stryker}`);
execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
  cwd: tools,
  stdio: "inherit",
});
writeFileSync(
  join(copy, "stryker.config.json"),
  JSON.stringify({
    plugins: [join(tools, "node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
    testRunner: "vitest",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    mutate: files.length > 0 ? files : everything,
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 8_000,
    timeoutFactor: 2,
    ignoreStatic: true,
    disableTypeChecks: true,
    reporters: ["clear-text", "progress-append-only"],
    clearTextReporter: { reportTests: false, reportMutants: files.length > 0 },
    tempDirName: join(copy, "sandbox"),
  }),
);
const bin = join(tools, "node_modules/@stryker-mutator/core/bin/stryker.js");
process.exitCode =
  spawnSync(process.execPath, [bin, "run"], { cwd: copy, stdio: "inherit" }).status ?? 1;
