import { fork, type ChildProcess } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { SideAnswer, SideRequest } from "./messages.ts";
import { SideError } from "./side-error.ts";

/** The process of a side. */
export interface SideProcess {
  /**
   * Tells it one thing and waits for the answer.
   *
   * @throws SideError when it fails, ends or stays silent; the signal's reason
   */
  readonly ask: (request: SideRequest) => Promise<SideAnswer>;
  /** Ends it, and everything it started. */
  readonly kill: () => Promise<void>;
}

/** What a process of a side gets. */
export interface StartSideOptions {
  /** What messages call it. */
  readonly name: string;
  /** Its folder for temporary files. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which an answer counts as missing. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

const script = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("../../dist/bench/gate/side-process.js", import.meta.url)
    : new URL("./side-process.js", import.meta.url),
);

/** Of what a process printed last, enough to say what ended it. */
const keptCharacters = 4_000;

/** Milliseconds that the output of a process gets to arrive behind its end. */
const outputMs = 500;

/** Starts the process of a side, which has loaded nothing of it yet. */
export function startSide(options: StartSideOptions): SideProcess {
  const { name, folder, env, patience, signal } = options;
  const child = fork(script, [], {
    env: { ...env, TMPDIR: folder, TEMP: folder, TMP: folder },
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // A group of its own, so that what a fixture starts can be ended with it.
    detached: true,
  });
  const ended = endOf(child);
  return {
    async ask(request) {
      const deadline = deadlineOf(patience, signal);
      try {
        const answer = await Promise.race([answerTo(child, request), ended, deadline.passed]);
        if (typeof answer === "string") throw new SideError(name, answer);
        if (answer.type === "failed") throw new SideError(name, answer.message);
        return answer;
      } finally {
        deadline.cancel();
      }
    },
    async kill() {
      killGroup(child);
      await ended;
    },
  };
}

function killGroup(child: ChildProcess): void {
  // Without a number it has never started, and 0 would be the group of this process.
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended, or the system has no groups.
    child.kill("SIGKILL");
  }
}

function answerTo(child: ChildProcess, request: SideRequest): Promise<SideAnswer> {
  return new Promise((resolve) => {
    child.once("message", (answer) => resolve(answer as SideAnswer));
    // A process that is gone is told by its end.
    child.send(request, () => undefined);
  });
}

/** Resolves with how a process ended. */
function endOf(child: ChildProcess): Promise<string> {
  let printed = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    printed = (printed + text).slice(-keptCharacters);
  });
  return new Promise((resolve) => {
    const tell = (): void => {
      // The line of an uncaught error that says something; around it are its source and its stack.
      const line = /^(?:\w*Error|Uncaught).*$/m.exec(printed)?.[0];
      const by = child.signalCode ?? child.exitCode;
      resolve(`its process ended with ${by}${line === undefined ? "" : `: ${line}`}`);
    };
    child.once("error", (error) => resolve(error.message));
    child.once("close", tell);
    // What it started may hold its output open for ever.
    child.once("exit", () => setTimeout(tell, outputMs).unref());
  });
}

interface Deadline {
  /** Resolves with what to say when it is over; rejects with the signal's reason. */
  readonly passed: Promise<string>;
  readonly cancel: () => void;
}

function deadlineOf(milliseconds: number, signal: AbortSignal): Deadline {
  let cancel = (): void => undefined;
  const passed = new Promise<string>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    const seconds = Math.round(milliseconds / 1_000);
    const timer = setTimeout(() => resolve(`no answer after ${seconds} s`), milliseconds);
    signal.addEventListener("abort", onAbort);
    cancel = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  });
  return { passed, cancel };
}
