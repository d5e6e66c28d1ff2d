import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Message, ModelChunk, ModelProvider } from "../../agent/index.ts";
import type { Codec, Checkpointer, SessionEvent } from "../../src/index.ts";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { pathsBelow } from "../paths-below.ts";
import type { Ring } from "../processes/rings.ts";
import { staleMs } from "../processes/script.ts";

/** Where a store is; plain JSON, so that a parent can hand it to a child. */
export interface StorePlace {
  readonly adapter: "file" | "sqlite";
  readonly durability?: "power" | "process";
  /** Keys that records are sealed with. Left out: they are plain. */
  readonly ring?: Ring;
}

/** Opens the store that belongs to a directory of these tests. */
export async function openStore(directory: string, place: StorePlace): Promise<Checkpointer> {
  const { adapter, durability = "process", ring } = place;
  const codec = await codecOf(ring);
  if (adapter === "file") {
    const dir = join(directory, "store");
    const onTornTail = (): undefined => undefined;
    return fileCheckpointer({ dir, durability, lockStaleMs: staleMs, onTornTail, codec });
  }
  // Hundreds of children start, and most of them need no database.
  const { sqliteCheckpointer } = await import("../../adapters/sqlite/index.ts");
  return sqliteCheckpointer({ file: join(directory, "sessions.db"), codec });
}

async function codecOf(ring: Ring | undefined): Promise<Codec | undefined> {
  if (ring === undefined) return undefined;
  const { codecFor } = await import("../processes/rings.ts");
  return codecFor(ring);
}

/** The directory that an agent of these tests works in. */
export function workdirIn(directory: string): string {
  return join(directory, "work");
}

/** Files by name: permission bits and bytes. */
export type Files = Readonly<Record<string, string>>;

/** Every file below a working directory, temporary ones too; empty directories are nothing. */
export function filesIn(workdir: string): Files {
  const files = pathsBelow(workdir).filter((path) => statSync(path).isFile());
  const entries = files.map((path): [string, string] => {
    const mode = (statSync(path).mode & 0o7777).toString(8);
    return [relative(workdir, path), `${mode} ${readFileSync(path, "base64")}`];
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Puts a file where an agent will find it. */
export function putFile(
  workdir: string,
  name: string,
  bytes: string | Uint8Array,
  mode: number,
): void {
  const path = join(workdir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  chmodSync(path, mode);
}

/** A call that a model asks for. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** A model that asks for the calls of one answer after the other, and then says that it is done. */
export function modelOf(answers: ReadonlyArray<readonly Call[]>): ModelProvider {
  let count = 0;
  return {
    id: "scripted",
    async *stream({ messages }): AsyncGenerator<ModelChunk> {
      const calls = isAnswered(messages) ? [] : (answers[count++] ?? []);
      for (const [index, { name, input }] of calls.entries()) {
        yield { type: "tool_use", id: `call-${messages.length}-${index}`, name, input };
      }
      if (calls.length === 0) yield { type: "text", text: "Done." };
      yield { type: "stop", reason: calls.length === 0 ? "end" : "tool_use" };
    },
  };
}

/** Whether the last thing a model is told is the result of a tool. */
export function isAnswered(messages: readonly Message[]): boolean {
  return messages.at(-1)?.content.at(-1)?.type === "tool_result";
}

const binary = Uint8Array.from({ length: 600 }, (_, index) => index % 256);

/** What is in the working directory before the agent comes. */
export function putProject(workdir: string): void {
  putFile(workdir, "notes.md", "\uFEFFone\r\ntwo\r\n", 0o640);
  putFile(workdir, "tool.sh", "#!/bin/sh\necho one\n", 0o755);
  putFile(workdir, "data.bin", binary, 0o600);
  putFile(workdir, "old/gone.txt", "to be deleted\n", 0o664);
  putFile(workdir, "untouched.txt", "nobody's business\n", 0o444);
}

/** The turns of the session: what each changes. */
export const turns: ReadonlyArray<{ readonly prompt: string; readonly calls: readonly Call[] }> = [
  {
    prompt: "Begin.",
    calls: [
      call("edit_file", { path: "notes.md", old_string: "two", new_string: "2" }),
      call("write_file", { path: "src/deep/made.txt", content: "made\n" }),
    ],
  },
  {
    prompt: "Change everything.",
    calls: [
      call("edit_file", { path: "notes.md", old_string: "one", new_string: "1" }),
      call("write_file", { path: "tool.sh", content: "#!/bin/sh\necho two\n" }),
      call("write_file", { path: "data.bin", content: "AAECA/8=", encoding: "base64" }),
      call("delete_file", { path: "old/gone.txt" }),
      call("write_file", { path: "fresh.txt", content: "new\n" }),
    ],
  },
  {
    prompt: "And once more.",
    calls: [
      call("write_file", { path: "src/deep/made.txt", content: "made again\n" }),
      call("edit_file", { path: "notes.md", old_string: "1", new_string: "I" }),
      call("write_file", { path: "passing.txt", content: "for a moment\n" }),
      call("delete_file", { path: "passing.txt" }),
    ],
  },
];

function call(name: string, input: unknown): Call {
  return { name, input };
}

/** A session's events, oldest first. */
export async function eventsOf(store: Checkpointer, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { event } of store.read(sessionId)) events.push(event);
  return events;
}

/** What `verify` finds in a store, except what a crash leaves of a batch that was never acknowledged. */
export async function damageIn(store: Checkpointer): Promise<string[]> {
  const found: string[] = [];
  for await (const { sessionId, findings } of store.verify()) {
    for (const { code, message } of findings) {
      if (code !== "TORN_TAIL") found.push(`${sessionId}: ${message}`);
    }
  }
  return found;
}
