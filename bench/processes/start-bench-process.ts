import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Fixture } from "../../conformance/fixture.ts";
import type { EventObject } from "../../src/index.ts";
import type { BenchAnswer, BenchRequest } from "./messages.ts";

/** A process that has the store of a fixture open. */
export interface BenchProcess {
  /** Resolves with its answer; rejects with what went wrong there, or when it has ended. */
  readonly ask: (request: BenchRequest) => Promise<unknown>;
  /** Closes the store and ends the process. */
  readonly end: () => Promise<void>;
}

const childPath = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("../../dist/bench/processes/bench-child.js", import.meta.url)
    : new URL("./bench-child.js", import.meta.url),
);

/** Milliseconds that a store gets to close before its process is ended. */
const closePatience = 5_000;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a process that opens the store of a fixture.
 *
 * @param through - a command that starts it, such as strace with its arguments
 */
export async function startBenchProcess(
  { processModule, processArgument }: Fixture,
  events: readonly EventObject[],
  through: readonly string[] = [],
): Promise<BenchProcess> {
  if (processModule === undefined) throw new TypeError("the fixture has no processModule");
  const [command, ...args] = [...through, process.execPath, childPath];
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
    // A group of its own, since a tracer that is killed leaves behind what it traces.
    detached: through.length > 0,
  });
  running.add(child);
  let stderr = "";
  let ended: Error | undefined;
  let waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const settle = (how: string): void => {
    running.delete(child);
    ended ??= new Error(`a process of the benchmark ended with ${how}: ${stderr.trim()}`);
    waiting?.reject(ended);
    waiting = undefined;
  };
  child.once("error", (error) => settle(error.message));
  child.once("exit", (code, signal) => settle(String(signal ?? code)));
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) reject(ended);
      else waiting = { resolve, reject };
    });
  child.on("message", (answer: BenchAnswer) => {
    const waiter = waiting;
    waiting = undefined;
    if ("failure" in answer) waiter?.reject(new Error(answer.failure));
    else waiter?.resolve("value" in answer ? answer.value : null);
  });
  const ask = (request: BenchRequest): Promise<unknown> => {
    const answer = next();
    if (ended === undefined) child.send(request);
    return answer;
  };
  const kill = (): void => {
    if (through.length > 0 && child.pid !== undefined) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  const end = async (): Promise<void> => {
    if (ended !== undefined) return;
    // Not "close", which never comes once the parent has disconnected.
    const gone = once(child, "exit");
    const timer = setTimeout(kill, closePatience);
    await ask({ do: "close" }).catch(() => undefined);
    child.disconnect();
    await gone;
    clearTimeout(timer);
  };
  try {
    await next();
    await ask({ do: "open", module: processModule, argument: processArgument, events });
  } catch (error) {
    kill();
    throw error;
  }
  return { ask, end };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
