/**
 * Goal: what the documents show works when it is typed. Method: every document gets a folder of its
 * own in which the package is installed and a `transcript.jsonl` lies; its blocks run there from the
 * first to the last, so that a later one may build on an earlier one.
 *
 * - `ts` blocks must compile in a strict project and run; where they have `// =>` comments, these
 *   are exactly the lines that are printed.
 * - In `sh` blocks every line that begins with `ckpt` or `npx ckpt` must exit with 0, and print what
 *   the `# =>` lines below it say. `export` lines count; a command with `-f` is followed until it
 *   prints something and then interrupted.
 * - `no-run` behind the language, as in "```ts no-run", leaves a block out.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { typeErrors } from "./readme/check-types.ts";
import { ckptCommands, codeBlocks, promisedOutput, type CodeBlock } from "./readme/code-blocks.ts";
import { createWorkshop, root, type Workshop } from "./readme/workshop.ts";

interface Document {
  readonly path: string;
  readonly blocks: readonly CodeBlock[];
}

function documents(): Document[] {
  const docs = join(root, "docs");
  const names = existsSync(docs) ? readdirSync(docs, { recursive: true, encoding: "utf8" }) : [];
  return ["README.md", ...names.map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith(".md") && existsSync(join(root, path)))
    .sort()
    .map((path) => {
      const blocks = codeBlocks(readFileSync(join(root, path), "utf8"));
      return { path, blocks: blocks.filter(isExample) };
    });
}

function isExample({ runnable, language, code }: CodeBlock): boolean {
  if (!runnable) return false;
  return language === "ts" || (language === "sh" && ckptCommands(code).length > 0);
}

async function runTypeScript({ runTypeScript: run }: Workshop, block: CodeBlock): Promise<void> {
  const printed = await run(`line-${block.line}`, block.code);
  const promised = promisedOutput(block.code);
  if (promised.length > 0) expect(printed.trimEnd().split("\n")).toEqual(promised);
}

async function runShell(workshop: Workshop, block: CodeBlock): Promise<void> {
  for (const { command, exports, promised } of ckptCommands(block.code)) {
    const follows = / (?:-f|--follow)\b/.test(command);
    const printed = follows
      ? await workshop.interruptShell(command, exports)
      : await workshop.runShell(`${exports}${command}`);
    for (const text of promised) expect(printed, command).toContain(text);
  }
}

const all = documents();

it("README.md has a TypeScript example that runs", () => {
  const readme = all.find(({ path }) => path === "README.md");
  expect(readme?.blocks.some(({ language }) => language === "ts")).toBe(true);
});

it("the TypeScript examples compile in a strict project", () => {
  const examples = new Map<string, string>();
  for (const { path, blocks } of all) {
    for (const { language, line, code } of blocks) {
      if (language === "ts") examples.set(`${path.replaceAll("/", "-")}-line-${line}`, code);
    }
  }
  const { folder } = createWorkshop();
  try {
    expect(typeErrors(examples, folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  // A whole program with the types of two vendors in it.
}, 180_000);

describe.each(all.filter(({ blocks }) => blocks.length > 0))("$path", ({ blocks }) => {
  const workshop = createWorkshop();
  afterAll(() => rmSync(workshop.folder, { recursive: true }));

  it.each(blocks)("the $language block at line $line runs", async (block) => {
    await (block.language === "ts" ? runTypeScript : runShell)(workshop, block);
  });
});
