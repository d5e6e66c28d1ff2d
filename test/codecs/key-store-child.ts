// A child process that runs a few calls on a key store, with faults in the file system if told so.

import { fileKeyStore } from "../../adapters/file/index.ts";
import { sqliteKeyStore } from "../../adapters/sqlite/index.ts";
import { isCheckpointError, type SessionKeyStore } from "../../src/index.ts";
import { createFaultyPort, type Fault } from "../processes/fault-plan.ts";

/** What the child is told. */
export interface KeyStoreScript {
  readonly kind: "file" | "sqlite";
  /** The file store's directory, or the database. */
  readonly path: string;
  readonly steps: readonly KeyStoreStep[];
  readonly faults: readonly Fault[];
}

/** A call; keys are spelled in hexadecimal. */
export interface KeyStoreStep {
  readonly name: "add" | "replace" | "shred" | "revive";
  readonly sessionId: string;
  readonly key?: { readonly id: string; readonly wrapped: string };
}

/** What the child answers: the result of each step, or its error. */
export type KeyStoreAnswer = ReadonlyArray<boolean | string | null>;

const script = JSON.parse(process.argv[2] ?? "") as KeyStoreScript;
const faulty = createFaultyPort(script.faults);
const store: SessionKeyStore =
  script.kind === "file"
    ? fileKeyStore({ dir: script.path, port: faulty.port })
    : sqliteKeyStore({ file: script.path, busyTimeoutMs: 30_000 });

process.once("message", () => void run());
process.send?.("ready");

async function run(): Promise<void> {
  const answers: Array<boolean | string | null> = [];
  faulty.arm();
  for (const step of script.steps) {
    try {
      answers.push(await act(step));
    } catch (error) {
      answers.push(isCheckpointError(error) ? error.code : `UNTYPED ${String(error)}`);
    }
  }
  faulty.disarm();
  await store.close();
  process.send?.(answers, undefined, undefined, () => process.disconnect());
}

async function act({ name, sessionId, key }: KeyStoreStep): Promise<boolean | null> {
  const wrapped = Uint8Array.from(Buffer.from(key?.wrapped ?? "", "hex"));
  const given = { id: key?.id ?? "", wrapperId: "child", wrapped, created: "" };
  if (name === "add") return store.add(sessionId, given);
  if (name === "replace") return store.replace(sessionId, [given]);
  await (name === "shred" ? store.shred(sessionId) : store.revive(sessionId));
  return null;
}
