import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKey } from "../../codecs/index.ts";
import { capturedRun, type BoundRun, type CapturedRun } from "./captured-run.ts";

/** A word that stands in every event of {@link SealedFolder.transcript} and nowhere else. */
export const canary = "zebra-canary-4711";

/** A folder with a key file, and everything that was printed while it was worked in. */
export interface SealedFolder {
  readonly keyFile: string;
  readonly path: (name: string) => string;
  /** Makes another key file. */
  readonly addKeyFile: (name: string, mode?: number) => Promise<string>;
  /** `ckpt` on a store in the folder, with the key file in the environment. */
  readonly on: (spec: string, env?: Record<string, string>) => BoundRun;
  /** JSONL with one event a line. */
  readonly transcript: (events: number) => string;
  /** The names of all files, those of subfolders included, in which `text` stands. */
  readonly filesWith: (text: string) => Promise<string[]>;
  /** Keys and passwords that stand anywhere in what was printed. */
  readonly leaks: () => string[];
  /** Adds something that must never be printed. */
  readonly keepSecret: (secret: string) => void;
  readonly remove: () => Promise<void>;
}

export async function sealedFolder(): Promise<SealedFolder> {
  const folder = await mkdtemp(join(tmpdir(), "ckpt-sealed-"));
  const secrets: string[] = [];
  const printed: CapturedRun[] = [];
  const path = (name: string): string => join(folder, name);

  async function addKeyFile(name: string, mode = 0o600): Promise<string> {
    const key = generateKey();
    secrets.push(key);
    await writeFile(path(name), `${key}\n`, { mode });
    return path(name);
  }

  const keyFile = await addKeyFile("k.key");
  return {
    keyFile,
    path,
    addKeyFile,
    on: (spec, env = {}) => {
      const defaults = { CHECKPOINTER_STORE: spec, CHECKPOINTER_KEY_FILE: keyFile, ...env };
      return async (words, options = {}) => {
        const run = await capturedRun(words, { env: defaults, ...options });
        printed.push(run);
        return run;
      };
    },
    transcript: (events) => {
      return Array.from({ length: events }, (_, n) => `${JSON.stringify({ n, canary })}\n`).join(
        "",
      );
    },
    filesWith: async (text) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const names: string[] = [];
      for (const entry of entries.filter((each) => each.isFile())) {
        const bytes = await readFile(join(entry.parentPath, entry.name));
        if (bytes.includes(text)) names.push(entry.name);
      }
      return names;
    },
    leaks: () => {
      const text = printed.map(({ out, errors }) => out + errors).join("");
      return secrets.filter((secret) => text.includes(secret));
    },
    keepSecret: (secret) => secrets.push(secret),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
