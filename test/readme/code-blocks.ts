/** A fenced block of a Markdown file. */
export interface CodeBlock {
  /** Language, the first word behind the fence. */
  readonly language: string;
  /** `no-run` behind the language: a fragment, or something that a test must not do. */
  readonly runnable: boolean;
  /** Line of the fence, from 1. */
  readonly line: number;
  readonly code: string;
}

const fence = /^(?<indent> *)(?<ticks>`{3,})(?<info>[^`\n]*)\n(?<code>.*?)^\k<indent>\k<ticks>$/gms;

/** The fenced blocks of a Markdown text, in order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(fence)].map(({ index, groups }) => {
    const { indent = "", info = "", code = "" } = groups ?? {};
    const [language = "", ...flags] = info.trim().split(/\s+/);
    return {
      language,
      runnable: !flags.includes("no-run"),
      line: markdown.slice(0, index).split("\n").length,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    };
  });
}

/** What `// =>` behind a line of code says it prints, one entry a comment. */
export function promisedOutput(code: string): string[] {
  return [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, text = ""]) => text.trim());
}

/** A command line of a shell block, with the output that `# =>` lines below it promise. */
export interface ShellCommand {
  readonly command: string;
  /** The `export` lines above it, as one command line. */
  readonly exports: string;
  readonly promised: readonly string[];
}

/** The `ckpt` commands of a shell block; a trailing backslash continues a line. */
export function ckptCommands(code: string): ShellCommand[] {
  const commands: Array<ShellCommand & { promised: string[] }> = [];
  let exports = "";
  for (const line of code.replaceAll("\\\n", " ").split("\n")) {
    const promise = /^# => (.*)$/.exec(line)?.[1];
    if (promise !== undefined) commands.at(-1)?.promised.push(promise.trim());
    const typed = line.replace(/^\$ /, "").replace(/\s+#.*$/, "");
    if (/^export \w+=/.test(typed)) exports += `${typed}; `;
    const command = /^(?:npx )?(ckpt .*)$/.exec(typed)?.[1];
    if (command !== undefined) commands.push({ command, exports, promised: [] });
  }
  return commands;
}
