import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CheckpointConflictError, CheckpointError, type ErrorCode } from "../../src/index.ts";
import type { FileChange } from "../faults/record-file-system.ts";
import type { Fault } from "../faults/fault.ts";
import type { Fixture } from "../fixture.ts";
import type { Handle } from "../session-state.ts";
import {
  announceFd,
  type Answer,
  type ChildPlan,
  type RemoteFailure,
  type Request,
} from "./protocol.ts";

/** A store as another process sees it. */
export interface RemoteStore {
  /** A handle whose calls are made in the other process; what a call yields comes all at once. */
  readonly handle: Handle;
  /** Opens the store there, in place of what was open: the fixture's own, or that of another one. */
  readonly open: (fixture?: Fixture) => Promise<void>;
  readonly isOpen: () => boolean;
  /** Lets faults happen from the next call on. */
  readonly arm: (faults: readonly Fault[]) => Promise<void>;
  /** Ends them; what counted and how many fired. */
  readonly disarm: () => Promise<{ readonly calls: readonly string[]; readonly fired: number }>;
  /** Records what it changes on disk. */
  readonly record: (directory: string) => Promise<void>;
  readonly recorded: () => Promise<FileChange[]>;
  /** Reads the first event of a session and leaves it at that; by how many bytes the process grew. */
  readonly growthOfFirstRead: (sessionId: string) => Promise<number>;
  /** Resolves when it is about to stop itself; rejects when it ends instead. */
  readonly stopping: () => Promise<void>;
  /** Resolves once it has ended, with what ended it. */
  readonly ended: Promise<Ending>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends it, whatever it is doing. */
  readonly kill: () => Promise<void>;
}

/** How a process ended. */
interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** What a call gets whose process has ended: whether the change was made, nobody can tell. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded";
}

/** Options of {@link startRemoteStore}. */
export interface RemoteOptions {
  /** Hooks its file system, for faults and recordings. Default false. */
  readonly hooked?: boolean;
  /** Milliseconds by which its clock is ahead. Default 0. */
  readonly clockAheadMs?: number;
  /** A command that starts it, such as strace with its arguments. Default: none. */
  readonly through?: readonly string[];
  /** Options for Node.js. Default: none. */
  readonly execArgv?: readonly string[];
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const running = new Set<() => void>();
process.once("exit", () => {
  for (const end of running) end();
});

/** Starts a process that can open a fixture's store. */
export async function startRemoteStore(
  fixture: Fixture,
  { hooked = false, clockAheadMs = 0, through = [], execArgv = [] }: RemoteOptions = {},
): Promise<RemoteStore> {
  const { processModule } = fixture;
  if (processModule === undefined) throw new TypeError("the fixture has no processModule");
  const plan: ChildPlan = { module: processModule, hooked, clockAheadMs };
  const [command, ...args] = [...through, process.execPath, ...execArgv, childPath];
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
    // Structured clones, so that an argument that is left out stays left out.
    serialization: "advanced",
    // A group of its own, since a tracer that is killed leaves behind what it traces.
    detached: through.length > 0,
  });
  const end = (): void => {
    if (through.length > 0 && child.pid !== undefined) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  running.add(end);
  const waiting = new Map<number, Waiting>();
  const stops: Array<() => void> = [];
  let stderr = "";
  let announced = 0;
  let count = 0;
  let over: Error | undefined;

  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  child.stdio[announceFd]?.on("data", (text: Buffer) => {
    announced += String(text).split("\n").length - 1;
    for (const stop of stops.splice(0)) stop();
  });
  const ready = new Promise<void>((resolve, reject) => {
    waiting.set(0, { resolve: () => resolve(), reject });
  });
  child.on("message", (message) => {
    const answer = message as Answer | { readonly ready: true };
    const number = "ready" in answer ? 0 : answer.number;
    const waiter = waiting.get(number);
    waiting.delete(number);
    if ("failure" in answer) waiter?.reject(revive(answer.failure));
    else waiter?.resolve("value" in answer ? answer.value : null);
  });
  const ended = new Promise<Ending>((resolve) => {
    const settle = (ending: Ending): void => {
      running.delete(end);
      const how = ending.signal ?? ending.code;
      over = new ProcessEnded(`the process ended with ${how}${stderr === "" ? "" : `: ${stderr}`}`);
      for (const { reject } of waiting.values()) reject(over);
      waiting.clear();
      for (const stop of stops.splice(0)) stop();
      resolve(ending);
    };
    child.once("error", (error) => {
      stderr += error.message;
      settle({ code: null, signal: null, stderr });
    });
    child.once("close", (code, signal) => settle({ code, signal, stderr }));
  });

  const ask = async (request: Request): Promise<unknown> => {
    if (over !== undefined) throw over;
    const number = (count += 1);
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      child.send({ number, request }, () => undefined);
    });
  };
  // Not on the command line, where everybody on the machine could read it.
  child.send(plan, () => undefined);
  await ready;
  let heard = 0;
  let isOpen = false;
  return {
    handle: remoteHandle(ask),
    async open({ processArgument: argument } = fixture) {
      await ask({ do: "open", argument });
      isOpen = true;
    },
    isOpen: () => isOpen,
    arm: async (faults) => void (await ask({ do: "arm", faults })),
    disarm: async () => (await ask({ do: "disarm" })) as { calls: string[]; fired: number },
    record: async (directory) => void (await ask({ do: "record", directory })),
    recorded: async () => (await ask({ do: "recorded" })) as FileChange[],
    growthOfFirstRead: async (sessionId) => (await ask({ do: "first", sessionId })) as number,
    async stopping() {
      while (announced <= heard) {
        if (over !== undefined) throw over;
        await new Promise<void>((resolve) => void stops.push(resolve));
      }
      heard += 1;
    },
    ended,
    signal: (signal) => void child.kill(signal),
    async kill() {
      end();
      await ended;
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Test runners that run sources find the child where they have compiled it. */
const childPath = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("../../dist/conformance/processes/child.js", import.meta.url)
    : new URL("./child.js", import.meta.url),
);

const yielding: ReadonlySet<string> = new Set(["read", "tail", "verify"]);

/** Every method of the contract, made in the other process. */
function remoteHandle(ask: (request: Request) => Promise<unknown>): Handle {
  return new Proxy({} as Handle, {
    get(_target, method) {
      if (typeof method === "symbol" || method === "then") return undefined;
      return (...args: readonly unknown[]) => {
        const answer = (): Promise<unknown> => ask({ do: "call", method, args });
        return yielding.has(method) ? spread(answer) : answer();
      };
    },
  });
}

async function* spread(answer: () => Promise<unknown>): AsyncGenerator<unknown, void, void> {
  yield* (await answer()) as unknown[];
}

/** An error of the other process, with the class it had there. */
function revive(failure: RemoteFailure): Error {
  const { name, message, code, expected, actual, sessionId } = failure;
  if (code === "CONFLICT" && sessionId !== undefined) {
    return new CheckpointConflictError(sessionId, expected as number, Number(actual));
  }
  if (name === "TypeError") return new TypeError(message);
  if (name === "RangeError") return new RangeError(message);
  if (code !== undefined) {
    const { retryable } = failure;
    return Object.assign(new CheckpointError(code as ErrorCode, message), { retryable });
  }
  return Object.assign(new Error(message), { name });
}
