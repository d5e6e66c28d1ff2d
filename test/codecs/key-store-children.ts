// Starts processes that use a key store, and looks for bytes in what they leave behind.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { isStopped, type Child } from "../processes/children.ts";
import type { KeyStoreAnswer, KeyStoreScript } from "./key-store-child.ts";

/** A process that is ready to run its script. */
export interface KeyStoreChild {
  readonly process: ChildProcess;
  /** Runs it; null when the process was killed. */
  run(): Promise<KeyStoreAnswer | null>;
  /** Waits until it stops itself; false when it ends before that. */
  stops(): Promise<boolean>;
}

/** Compiled by the global setup of the tests, since Node.js 20 runs no TypeScript. */
const module = fileURLToPath(new URL("../../dist/test/codecs/key-store-child.js", import.meta.url));

/** Starts a process and waits until it could begin. */
export async function startKeyStoreChild(script: KeyStoreScript): Promise<KeyStoreChild> {
  const child: ChildProcess = fork(module, [JSON.stringify(script)], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return {
    process: child,
    async run() {
      const answer = once(child, "message") as Promise<[KeyStoreAnswer]>;
      const ended = once(child, "exit");
      child.send("run");
      const first = await Promise.race([answer, ended.then(() => null)]);
      await ended;
      return first === null ? null : first[0];
    },
    async stops() {
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) return false;
        if (isStopped({ process: child } as Child)) return true;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}

/** A directory that is gone after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "checkpointer-kit-keys-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Names of the files under a directory that hold some bytes, raw or in a usual spelling. */
export function filesWith(directory: string, bytes: Uint8Array): string[] {
  const needles = (["latin1", "hex", "base64", "base64url"] as const).map((encoding) =>
    Buffer.from(Buffer.from(bytes).toString(encoding).replace(/=+$/, ""), "latin1"),
  );
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const content = readFileSync(path);
      return needles.some((needle) => content.includes(needle));
    });
}
