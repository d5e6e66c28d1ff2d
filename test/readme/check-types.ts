import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./workshop.ts";

/**
 * What the compiler says about examples in a strict project that depends on the package.
 *
 * @param examples - code by name
 * @param folder - where packages can be found
 */
export function typeErrors(examples: ReadonlyMap<string, string>, folder: string): string[] {
  const files = [...examples].map(([name, code]) => {
    const file = join(folder, `${name}.mts`);
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.es2024.string.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.Node20,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    // The tests emit no declarations, so types come from the sources.
    paths: sourcePaths(),
  });
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ");
    const { file, start } = diagnostic;
    if (file === undefined || start === undefined) return text;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${file.fileName.slice(folder.length + 1)}, line ${line + 1} of the block: ${text}`;
  });
}

/** The package's entries by their names, each with the source behind it. */
function sourcePaths(): Record<string, string[]> {
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { name, exports } = JSON.parse(text) as {
    name: string;
    exports: Record<string, string | { types: string }>;
  };
  const paths: Record<string, string[]> = {};
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target === "string") continue;
    const source = target.types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts");
    paths[`${name}${entry.slice(1)}`] = [join(root, source)];
  }
  return paths;
}
