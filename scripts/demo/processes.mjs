// The other processes of the demo: the real command line tool, and small programs beside this file.

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { command } from "./stage.mjs";

/** Ended with this process, however it ends. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

const ckptScript = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Runs `ckpt` in `folder`, after showing how a reader would type it. */
export async function ckpt(folder, ...words) {
  command(`ckpt ${words.map(quoteWord).join(" ")}`);
  const child = start(folder, ckptScript, words);
  const [code] = await child.closed;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Starts `ckpt` and lets it run. */
export function startCkpt(folder, ...words) {
  command(`ckpt ${words.map(quoteWord).join(" ")} &`);
  return start(folder, ckptScript, words);
}

/** Starts a Node program and collects what it prints. */
export function start(folder, script, words) {
  const child = spawn(process.execPath, [script, ...words], { cwd: folder, stdio: "pipe" });
  running.add(child);
  const closed = once(child, "close").finally(() => void running.delete(child));
  const texts = { stdout: "", stderr: "" };
  const watchers = new Set();
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      texts[name] += text;
      for (const look of watchers) look();
    });
  }
  return {
    process: child,
    closed,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    /** Whole lines of standard output so far. */
    lines: () => texts.stdout.split("\n").slice(0, -1),
    /** Resolves as soon as `holds` says so; rejects when the program ends first, or after 10 s. */
    until(holds) {
      return new Promise((resolve, reject) => {
        const end = (settle, value) => {
          clearTimeout(timer);
          watchers.delete(look);
          settle(value);
        };
        const fail = (why) => end(reject, new Error(`${script} ${why}: ${texts.stderr}`));
        const look = () => (holds() ? end(resolve) : undefined);
        const timer = setTimeout(fail, 10_000, "took too long");
        watchers.add(look);
        void closed.then(() => (holds() ? end(resolve) : fail("ended early")));
        look();
      });
    },
  };
}

function quoteWord(word) {
  return /^[\w:./=-]+$/.test(word) ? word : `'${word}'`;
}
