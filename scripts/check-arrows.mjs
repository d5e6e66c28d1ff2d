// The import arrows of the repository: everything points inwards to src/, and an adapter uses the same door as a
// third party. Oxlint's restricted imports match the text of a specifier; an arrow is about the file it resolves to,
// so the imports are read from the syntax tree here, and one table below says what each folder may do.
//
// Usage: node scripts/check-arrows.mjs [root]

import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix, sep } from "node:path";
import process from "node:process";
import ts from "typescript";

const root = process.argv[2] ?? ".";
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** An adapter's one npm package, if it has one. */
const drivers = { file: ["proper-lockfile"], sqlite: ["better-sqlite3"], postgres: ["pg"] };

/** What the files of the folder that holds `file` may import, and which globals they may not touch. */
function arrowOf(file) {
  const [top, name] = file.split("/");
  if (top === "src") {
    return {
      of: "src",
      may: "src alone",
      files: (path) => path.startsWith("src/"),
      node: () => false,
      packages: [],
      // Language and web standards only: src has to run wherever a backend author runs it.
      globals: ["console", "process", "Buffer"],
    };
  }
  if (top === "adapters") {
    const packages = drivers[name] ?? [];
    return {
      of: `adapters/${name}`,
      may: ["src/index.ts", "node:*", ...packages, "its own folder"].join(", "),
      files: (path) => path === "src/index.ts" || path.startsWith(`adapters/${name}/`),
      // An adapter is configured by its options, so the environment is closed by this door too; helpers of its
      // tests are told there which server to use.
      node: (module) =>
        file.includes("/testing/") || (module !== "node:process" && module !== "node:console"),
      packages,
      globals: file.includes("/testing/") ? ["console"] : ["console", "process.env"],
    };
  }
  if (top === "codecs") {
    const packages = ["@noble/ciphers", "@noble/hashes", "fflate"];
    return {
      of: "codecs",
      may: ["src/index.ts", "types of node:*", ...packages, "its own folder"].join(", "),
      files: (path) => path === "src/index.ts" || path.startsWith("codecs/"),
      // A codec runs in browsers too; it asks the platform for node:crypto and node:zlib at run time.
      node: (_module, typeOnly) => typeOnly,
      packages,
      globals: ["console", "process.env", "Buffer"],
    };
  }
  if (top === "conformance") {
    return {
      of: "conformance",
      may: "src/index.ts, node:*, fast-check, its own folder",
      files: (path) => path === "src/index.ts" || path.startsWith("conformance/"),
      node: () => true,
      packages: ["fast-check"],
      globals: ["process.env"],
    };
  }
  if (top === "bench") {
    const packages = ["better-sqlite3", "pg", "simple-statistics"];
    return {
      of: "bench",
      may: ["src/index.ts", "conformance", "node:*", ...packages, "its own folder"].join(", "),
      files: (path) => path === "src/index.ts" || /^(?:bench|conformance)\//.test(path),
      node: () => true,
      packages,
      globals: ["process.env"],
    };
  }
  if (top === "agent") {
    const packages = ["@anthropic-ai/sdk", "openai"];
    return {
      of: "agent",
      may: ["src/index.ts", "adapters/file/index.ts", "node:*", ...packages, "its own folder"].join(
        ", ",
      ),
      // The file adapter is the default store of `createLiteAgent`, and nothing else.
      files: (path) =>
        path === "src/index.ts" ||
        path.startsWith("agent/") ||
        (path === "adapters/file/index.ts" && file === "agent/default-store.ts"),
      node: () => true,
      packages,
      globals: ["console"],
    };
  }
  return {
    of: top,
    may: "published folders, node:* and the package's dependencies",
    files: (path) => !/^(?:test|scripts|examples)\//.test(path) && !isTest(path),
    node: () => true,
    packages: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    globals: [],
  };
}

/** Whose task it is to load a module that is named at run time: a fixture, another version of the kit, a driver. */
const loaders = [
  "bench/processes/count-ports.ts",
  "bench/gate/open-side.ts",
  "bench/processes/bench-child.ts",
  "cli/certify/load-fixture.ts",
  "conformance/processes/child.ts",
];

const isTest = (path) => /\.test(?:-d)?\.ts$/.test(path);

function sourceFiles() {
  return ["src", "adapters", "codecs", "conformance", "bench", "agent", "cli"]
    .flatMap((folder) => {
      try {
        return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
          (path) => `${folder}/${path}`,
        );
      } catch {
        return []; // A folder that is not there has no arrows.
      }
    })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts") && !isTest(path) && !path.startsWith("bench/figures/"))
    .sort();
}

/** Why `specifier` may not be imported by `file`, or nothing. */
function refusal(arrow, file, specifier, typeOnly) {
  if (specifier === undefined) {
    return loaders.includes(file) ? undefined : "imports a computed name, which nobody can check";
  }
  const allowed = specifier.startsWith(".")
    ? arrow.files(posix.join(dirname(file), specifier))
    : specifier.startsWith("node:") || builtinModules.includes(specifier)
      ? arrow.node(specifier, typeOnly)
      : arrow.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return allowed ? undefined : `imports ${specifier}; ${arrow.of} may import ${arrow.may}`;
}

/** The global that `node` touches, if it is one of ours to refuse. */
function globalOf(node) {
  if (ts.isIdentifier(node)) {
    const parent = node.parent;
    const isName =
      (ts.isPropertyAccessExpression(parent) &&
        parent.name === node &&
        parent.expression.getText() !== "globalThis") ||
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      ts.isTypeElement(parent);
    return isName ? undefined : node.text;
  }
  const ofProcess = (expression) => /^(?:globalThis\.)?process$/.test(expression?.getText() ?? "");
  const readsEnv =
    (ts.isPropertyAccessExpression(node) &&
      ofProcess(node.expression) &&
      node.name.text === "env") ||
    (ts.isElementAccessExpression(node) && ofProcess(node.expression)) ||
    (ts.isVariableDeclaration(node) &&
      ts.isObjectBindingPattern(node.name) &&
      ofProcess(node.initializer));
  return readsEnv ? "process.env" : undefined;
}

/** The specifiers that `node` imports: static, re-exported, dynamic, as a type, or through a require function. */
function importsOf(node, requires) {
  const text = (expression) =>
    expression !== undefined && ts.isStringLiteralLike(expression) ? expression.text : undefined;
  if (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier)) {
    return [text(node.moduleSpecifier)];
  }
  if (ts.isImportTypeNode(node)) return [text(node.argument.literal)];
  if (!ts.isCallExpression(node)) return [];
  const callee = node.expression;
  const isRequire =
    callee.kind === ts.SyntaxKind.ImportKeyword ||
    isCreateRequire(callee) ||
    (ts.isIdentifier(callee) && requires.has(callee.text));
  return isRequire ? [text(node.arguments[0])] : [];
}

const isCreateRequire = (node) =>
  node !== undefined &&
  ts.isCallExpression(node) &&
  /\bcreateRequire$/.test(node.expression.getText());

function violations(file) {
  const arrow = arrowOf(file);
  const found = [];
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const requires = new Set(["require"]);
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && isCreateRequire(node.initializer)) {
      requires.add(node.name.getText());
    }
    const at = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    for (const specifier of importsOf(node, requires)) {
      const typeOnly =
        ts.isImportDeclaration(node) &&
        node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      const reason = refusal(arrow, file, specifier, typeOnly);
      if (reason !== undefined) found.push(`${at} ${reason}`);
    }
    const global = globalOf(node);
    if (arrow.globals.includes(global)) found.push(`${at} touches ${global}; ${arrow.of} may not`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = sourceFiles();
const found = files.flatMap(violations);
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
else console.log(`arrows: ${files.length} files checked`);
