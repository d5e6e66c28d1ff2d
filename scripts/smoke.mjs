// Does the package work for somebody who installs it? Packs what would be published, installs it in an empty project
// and uses it there: first without the optional packages, then with one, then from TypeScript. At last it certifies
// the adapter of examples/custom-adapter, which knows nothing but the installed package.
//
// Usage: npm run smoke (builds first)

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

const root = resolve(import.meta.dirname, "..");
const project = mkdtempSync(join(tmpdir(), "smoke-"));
const ckpt = join(project, "node_modules", ".bin", "ckpt");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let passed = 0;
const failures = [];
const certified = [];

/** Counts one check; a failure is told in one line, and the others still run. */
function check(name, run) {
  try {
    run();
    passed += 1;
  } catch (error) {
    const output = `${error.stderr ?? ""}${error.stdout ?? ""}`.trim() || error.message;
    failures.push(`smoke: ${name}: ${output.replaceAll(/\s*\n\s*/g, " | ")}`);
  }
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`expected ${expected}, got ${actual}`);
}

/** Whether `message` is one sentence that tells to install `name`. */
function asksFor(name, message) {
  const isSentence = !/\n|[.!?]\s/.test(message);
  if (!isSentence || !/install/i.test(message) || !message.includes(name)) {
    throw new Error(`got: ${message}`);
  }
}

function run(command, args, cwd = project) {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Runs a module inside the project, where it finds only what is installed there. */
const node = (code) => run(process.execPath, ["--input-type=module", "--eval", code]);

const roundTrip = (entry, call) => `
  import * as adapter from "${manifest.name}/adapters/${entry}";
  const checkpointer = adapter.${call};
  const head = await checkpointer.append("s", [{ type: "user", content: "hi" }]);
  const entries = [];
  for await (const { seq, event } of checkpointer.read("s")) entries.push({ seq, event });
  await checkpointer.close();
  console.log(JSON.stringify({ head, entries }));`;
const told = JSON.stringify({
  head: 1,
  entries: [{ seq: 1, event: { type: "user", content: "hi" } }],
});

const withoutDriver = (entry, call) => `
  try {
    const adapter = await import("${manifest.name}/adapters/${entry}");
    adapter.${call};
    console.log("it did not fail");
  } catch (error) {
    console.log(error.message);
  }`;

const withoutPackage = (provider) => `
  import { ${provider} } from "${manifest.name}/agent";
  const request = { modelName: "m", messages: [], tools: [], maxTokens: 1 };
  try {
    for await (const chunk of ${provider}().stream(request, new AbortController().signal)) {
      console.log(chunk);
    }
  } catch (error) {
    console.log(error.message);
  }`;

const consumer = `
  import * as kit from "${manifest.name}";
  import { memoryCheckpointer } from "${manifest.name}/adapters/memory";
  import { fileCheckpointer } from "${manifest.name}/adapters/file";
  import { sqliteCheckpointer } from "${manifest.name}/adapters/sqlite";
  import { postgresCheckpointer } from "${manifest.name}/adapters/postgres";
  import { anthropic, openai, type ModelProvider } from "${manifest.name}/agent";

  export const entry: object = kit;
  export const models: readonly ModelProvider[] = [anthropic(), openai({ apiKey: "none" })];
  const checkpointers = [
    memoryCheckpointer(),
    fileCheckpointer({ dir: "sessions" }),
    sqliteCheckpointer({ file: "sessions.db" }),
    postgresCheckpointer({ connectionString: "postgres://localhost/sessions" }),
  ];
  for (const checkpointer of checkpointers) {
    const head: number = await checkpointer.append("s", [{ type: "user", content: "hi" }]);
    for await (const { seq, event } of checkpointer.read("s")) console.log(head, seq satisfies number, event);
    await checkpointer.close();
  }`;

/** Runs the suite over a fixture of the example: what `ckpt certify` exits with and reports. */
function certify(fixture, ...options) {
  const cwd = join(project, "custom-adapter");
  const args = ["certify", fixture, ...options];
  const { status, stdout, stderr } = spawnSync(ckpt, args, { cwd, encoding: "utf8" });
  const [verdict = "", figures = ""] = stdout.split("\n");
  return { status, verdict, figures, output: `${stderr.split("\n").at(-2)} | ${stdout}` };
}

/** Borrows a package that the repository has, so that no native addon is compiled again. */
function lend(name) {
  const to = join(project, "node_modules", name);
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(join(root, "node_modules", name), to, "junction");
}

try {
  const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", project];
  const [tarball] = JSON.parse(run("npm", packing, root));
  const files = tarball.files.map(({ path }) => path);

  check("every target of exports and bin is packed", () => {
    const targets = [...Object.values(manifest.exports), manifest.bin].flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    for (const target of targets) {
      const path = target.replace(/^\.\//, "");
      if (!files.includes(path)) throw new Error(`${path} is missing`);
    }
  });
  check("nothing else than the build and the documents is packed", () => {
    const documents = /^(?:package\.json|LICENSE|README\.md)$/;
    const build =
      /^dist\/(?!test\/|scripts\/|examples\/).*(?<!\.test|\.test-d)\.(?:js|js\.map|d\.ts)$/;
    const stray = files.filter((path) => !documents.test(path) && !build.test(path));
    equal(stray.join(", "), "");
  });

  writeFileSync(join(project, "package.json"), `{ "private": true, "type": "module" }`);
  run("npm", ["install", "--no-audit", "--no-fund", join(project, tarball.filename)]);

  check("memory appends and reads", () =>
    equal(node(roundTrip("memory", "memoryCheckpointer()")), told),
  );
  check("file appends and reads", () => {
    equal(node(roundTrip("file", `fileCheckpointer({ dir: "sessions" })`)), told);
  });
  for (const [entry, driver, call] of [
    ["sqlite", "better-sqlite3", `sqliteCheckpointer({ file: "missing.db" })`],
    ["postgres", "pg", `postgresCheckpointer({ connectionString: "postgres://none" })`],
  ]) {
    check(`${entry} without its driver asks for it in one sentence`, () => {
      asksFor(driver, node(withoutDriver(entry, call)));
    });
  }
  for (const [provider, name] of [
    ["anthropic", "@anthropic-ai/sdk"],
    ["openai", "openai"],
  ]) {
    check(`${provider}() without its package asks for it in one sentence`, () => {
      asksFor(name, node(withoutPackage(provider)));
    });
  }
  check("ckpt --version tells the version", () =>
    equal(run(ckpt, ["--version"]), manifest.version),
  );
  check("ckpt --help tells the usage", () => {
    if (!/usage: ckpt/i.test(run(ckpt, ["--help"]))) throw new Error("no usage line");
  });

  lend("better-sqlite3");
  check("sqlite with its driver appends and reads", () => {
    equal(node(roundTrip("sqlite", `sqliteCheckpointer({ file: "sessions.db" })`)), told);
  });

  lend("@types/node");
  check("a strict TypeScript consumer compiles, declarations included", () => {
    const compilerOptions = { module: "nodenext", target: "es2023", strict: true, noEmit: true };
    const tsconfig = {
      compilerOptions: { ...compilerOptions, skipLibCheck: false, types: ["node"] },
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ ...tsconfig, files: ["consumer.ts"] }),
    );
    writeFileSync(join(project, "consumer.ts"), consumer);
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false"]);
  });

  cpSync(join(root, "examples/custom-adapter"), join(project, "custom-adapter"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  check("the first version of the example is not certified", () => {
    const { status, output } = certify("./first-fixture.js", "--property", "P20");
    if (status !== 1) throw new Error(`exit ${status}: ${output}`);
  });
  // Few generated runs, since test/conformance has many; every property of the level is there.
  for (const [fixture, level] of [
    ["./fixture.js", "L3"],
    ["./minimal-fixture.js", "L1"],
  ]) {
    check(`${fixture} of the example is certified at ${level}`, () => {
      const options = ["--level", level, "--effort", "0.1"];
      const { status, verdict, figures, output } = certify(fixture, ...options);
      if (status !== 0) throw new Error(`exit ${status}: ${output}`);
      certified.push(`${verdict};${figures}`);
    });
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}

for (const line of certified) console.log(`smoke: ${line}`);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
else console.log(`smoke: ${passed} checks passed`);
