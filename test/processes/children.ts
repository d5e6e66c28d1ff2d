import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How a child process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A running child process. */
export interface Child {
  readonly process: ChildProcess;
  readonly exit: Promise<Exit>;
  send(message: unknown): void;
  /** The next message of the child; rejects when it ends instead. */
  message<T>(): Promise<T>;
  kill(signal: NodeJS.Signals): void;
}

const running = new Set<ChildProcess>();
process.once("exit", reapChildren);

/** Ends every child that is still running, stopped ones too. */
export function reapChildren(): void {
  for (const child of running) child.kill("SIGKILL");
}

/**
 * Starts a module of this folder as a process, compiled, since Node 20 runs no TypeScript.
 *
 * @param through - a command that starts it, such as strace
 */
export function startChild(
  module: string,
  argument: unknown,
  through: readonly string[] = [],
): Child {
  const own = [process.execPath, pathOf(module), JSON.stringify(argument)];
  const [command = "", ...args] = [...through, ...own];
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  running.add(child);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const inbox: unknown[] = [];
  let deliver: (() => void) | undefined;
  child.on("message", (message) => {
    inbox.push(message);
    deliver?.();
  });
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal, stderr });
      deliver?.();
    });
  });
  return {
    process: child,
    exit,
    send: (message) => void child.send(message as object),
    kill: (signal) => void child.kill(signal),
    async message<T>() {
      while (inbox.length === 0) {
        if (!running.has(child)) throw new Error(`${module} ended without an answer: ${stderr}`);
        await new Promise<void>((resolve) => void (deliver = resolve));
      }
      return inbox.shift() as T;
    },
  };
}

/** Runs a module of this folder while nothing else happens in this process. */
export function runChildNow(module: string, argument: unknown): void {
  execFileSync(process.execPath, [pathOf(module), JSON.stringify(argument)], { stdio: "pipe" });
}

function pathOf(module: string): string {
  return fileURLToPath(new URL(`../../dist/test/processes/${module}.js`, import.meta.url));
}

/** Whether the process is stopped, by SIGSTOP for instance. */
export function isStopped({ process: { pid = 0 } }: Child): boolean {
  if (process.platform === "linux") {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
  }
  return execFileSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "latin1" }).startsWith(
    "T",
  );
}

/** Waits for a child that is expected to end by itself, without an error. */
export async function finish(child: Child): Promise<void> {
  const { code, signal, stderr } = await child.exit;
  if (code !== 0) throw new Error(`a child ended with ${signal ?? code}: ${stderr}`);
}

/**
 * Runs `work` for every item, `width` at a time.
 *
 * @throws Error with the messages of all that failed, once all are done
 */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  async function lane(): Promise<void> {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  }
  await Promise.all(Array.from({ length: width }, lane));
  if (failures.length === 0) return;
  const messages = failures.map((error) => (error instanceof Error ? error.message : error));
  throw new Error([`${failures.length} failed`, ...messages].join("\n\n"), { cause: failures[0] });
}

/** Polls until `condition` holds. */
export async function until(
  condition: () => boolean,
  what: string,
  ms: number = 20_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
