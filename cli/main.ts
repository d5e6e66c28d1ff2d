#!/usr/bin/env node
import { Interruption } from "./interruption.ts";
import { oneLine } from "./report-error.ts";
import { run } from "./run.ts";

const controller = new AbortController();

/** Merely naming `process.stdin` makes it non-blocking for every process that shares it. */
let stdinUsed = false;

function onSignal(name: string, exitCode: number): void {
  // The first one lets a running append finish and closes the store; the second one insists.
  if (controller.signal.aborted) process.exit(exitCode);
  controller.abort(new Interruption(name, exitCode));
  // An import that waits for input would not notice.
  if (stdinUsed) process.stdin.destroy();
}

process.on("SIGINT", () => onSignal("SIGINT", 130));
process.on("SIGTERM", () => onSignal("SIGTERM", 143));
process.on("uncaughtException", (error) => {
  process.stderr.write(`ckpt: ${oneLine(error)}\n`);
  process.exit(1);
});

// Nothing the kit waits for keeps a process alive: neither an idle follower nor a lock. This does.
const alive = setInterval(() => undefined, 60_000);
const { stdout, stderr, env } = process;
process.exitCode = await run(process.argv.slice(2), {
  get stdin() {
    stdinUsed = true;
    return process.stdin;
  },
  stdout,
  stderr,
  env,
  signal: controller.signal,
});
clearInterval(alive);
