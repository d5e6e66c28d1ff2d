import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Checkpointer } from "../../src/index.ts";
import type { AgentOptions } from "../agent-options.ts";
import { extractiveCompactor } from "../compact/compactor.ts";
import { createLiteAgent, type LiteAgent } from "../lite-agent.ts";
import {
  scriptedModel,
  type ScriptedStep,
  type ScriptedToolCall,
} from "../providers/scripted-model.ts";

/** An agent that answers what it is told to, with a compactor that needs no model. */
export function testAgent(
  workdir: string,
  checkpointer: Checkpointer,
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): LiteAgent {
  return createLiteAgent({
    model: scriptedModel(steps),
    modelName: "scripted-1",
    workdir,
    checkpointer,
    compactor: extractiveCompactor(),
    ...options,
  });
}

/** The answers of one turn: these tools, then `text`. */
export function turnOf(calls: readonly ScriptedToolCall[], text = "done"): ScriptedStep[] {
  return calls.length === 0 ? [{ text }] : [{ toolCalls: calls }, { text }];
}

/** Calls of the file tools. */
export const call = {
  write: (path: string, content: string | Uint8Array): ScriptedToolCall =>
    typeof content === "string"
      ? { name: "write_file", input: { path, content } }
      : {
          name: "write_file",
          input: { path, content: Buffer.from(content).toString("base64"), encoding: "base64" },
        },
  edit: (path: string, from: string, to: string): ScriptedToolCall => ({
    name: "edit_file",
    input: { path, old_string: from, new_string: to },
  }),
  remove: (path: string): ScriptedToolCall => ({ name: "delete_file", input: { path } }),
} as const;

/** Every file below a directory: SHA-256 and permission bits by name; directories are left out. */
export function filesBelow(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(directory, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) continue;
    const hash = createHash("sha256")
      .update(stats.isFile() ? readFileSync(path) : "")
      .digest("hex");
    files[name] = `${hash.slice(0, 16)} ${(stats.mode & 0o7777).toString(8)}`;
  }
  return files;
}

/** Writes a file as a person would, directories included. */
export function put(directory: string, name: string, content: string | Uint8Array): void {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
