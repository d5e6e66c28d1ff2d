import { Buffer } from "node:buffer";
import { realpath } from "node:fs/promises";
import { quote } from "../../src/index.ts";
import { agentLimits } from "../agent-limits.ts";
import type { Tool } from "../tool.ts";
import { readFileState } from "../workspace/file-state.ts";
import { unlessMissing } from "../workspace/unless-missing.ts";
import { requireReadable, workspacePath } from "../workspace/workspace-path.ts";
import { toolInput } from "./input.ts";

const pathSchema = { type: "string", description: "Relative to the working directory" };

/**
 * `read_file`, `write_file`, `edit_file` and `delete_file`, all below the working directory. What they change,
 * `restore` can undo.
 */
export const fileTools: readonly Tool[] = [
  {
    name: "read_file",
    description:
      "Read a text file. Long files are cut; read on with `offset`. Of a file that is not UTF-8 text it says so.",
    inputSchema: {
      type: "object",
      properties: {
        path: pathSchema,
        offset: { type: "integer", description: "First line to return, from 1" },
        limit: { type: "integer", description: "Number of lines to return" },
      },
      required: ["path"],
    },
    async run(input, { workdir }) {
      const fields = toolInput(input);
      const place = workspacePath(workdir, fields.text("path"));
      await requireReadable(workdir, place);
      const real = await unlessMissing(realpath(place.absolute));
      const state = real === null ? null : await readFileState(real, agentLimits.maxToolFileBytes);
      if (state === null) throw new Error(`No file ${quote(place.name)}`);
      const text = state.bytes === null ? null : textOf(state.bytes);
      if (text === null) {
        return `${place.name} is not UTF-8 text: ${state.size} bytes, SHA-256 ${state.hash}`;
      }
      const offset = fields.optional<number>("offset", "number");
      return excerpt(text, offset, fields.optional<number>("limit", "number"));
    },
  },
  {
    name: "write_file",
    description: "Create a file or replace all of it. Missing directories are made.",
    inputSchema: {
      type: "object",
      properties: {
        path: pathSchema,
        content: { type: "string" },
        encoding: {
          type: "string",
          enum: ["utf8", "base64"],
          description: "base64 for anything that is not text. Default utf8",
        },
      },
      required: ["path", "content"],
    },
    async run(input, { changeFile }) {
      const fields = toolInput(input);
      const path = fields.text("path");
      const bytes = decode(
        fields.text("content"),
        fields.optional<string>("encoding", "string") ?? "utf8",
      );
      await changeFile(path, () => bytes);
      return `Wrote ${bytes.length} bytes to ${path}`;
    },
  },
  {
    name: "edit_file",
    description:
      "Replace text in a UTF-8 file. `old_string` must occur exactly once, or give `replace_all`. Line ends and " +
      "everything around stay as they are.",
    inputSchema: {
      type: "object",
      properties: {
        path: pathSchema,
        old_string: { type: "string" },
        new_string: { type: "string" },
        replace_all: { type: "boolean" },
      },
      required: ["path", "old_string", "new_string"],
    },
    async run(input, { changeFile }) {
      const fields = toolInput(input);
      const path = fields.text("path");
      const from = fields.text("old_string");
      const to = fields.text("new_string");
      const all = fields.optional<boolean>("replace_all", "boolean") ?? false;
      let count = 0;
      await changeFile(path, (before) => {
        const parts = textToEdit(path, before).split(checkedNeedle(from));
        count = parts.length - 1;
        if (count === 0) throw new Error(`old_string does not occur in ${quote(path)}`);
        if (count > 1 && !all)
          throw new Error(`old_string occurs ${count} times in ${quote(path)}`);
        return Buffer.from(parts.join(to), "utf8");
      });
      return `Replaced ${count} ${count === 1 ? "place" : "places"} in ${path}`;
    },
  },
  {
    name: "delete_file",
    description: "Remove a file.",
    inputSchema: { type: "object", properties: { path: pathSchema }, required: ["path"] },
    async run(input, { changeFile }) {
      const path = toolInput(input).text("path");
      await changeFile(path, (before) => {
        if (before === null) throw new Error(`No file ${quote(path)}`);
        return null;
      });
      return `Removed ${path}`;
    },
  },
];

/** Keeps a byte order mark, so that an edit gives it back. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function textToEdit(path: string, before: Uint8Array | null): string {
  if (before === null) throw new Error(`No file ${quote(path)}`);
  const text = textOf(before);
  if (text !== null) return text;
  throw new Error(`${quote(path)} is not UTF-8 text: use write_file with base64`);
}

function checkedNeedle(text: string): string {
  if (text !== "") return text;
  throw new Error("old_string is empty: use write_file for a new file");
}

function decode(content: string, encoding: string): Uint8Array {
  if (encoding === "utf8") {
    if (content.isWellFormed()) return Buffer.from(content, "utf8");
    throw new Error("content holds half of a surrogate pair, which no file can");
  }
  if (encoding !== "base64") throw new Error(`encoding: wanted utf8 or base64`);
  const bytes = Buffer.from(content, "base64");
  // Node reads on after what is no base64; a file that is silently shorter is no file that was asked for.
  if (bytes.toString("base64").replace(/=+$/, "") === content.replace(/\s|=+$/g, "")) return bytes;
  throw new Error("content is not base64");
}

function excerpt(text: string, offset: number | undefined, limit: number | undefined): string {
  const first = Math.max(0, (offset ?? 1) - 1);
  const whole = offset === undefined && limit === undefined;
  const lines = whole ? null : text.split("\n");
  const wanted =
    lines === null
      ? text
      : lines.slice(first, limit === undefined ? undefined : first + limit).join("\n");
  if (wanted.length <= agentLimits.maxReadCharacters) return wanted;
  const cut = wanted.slice(0, agentLimits.maxReadCharacters).toWellFormed();
  const shown = first + cut.split("\n").length;
  return `${cut}\n[cut here, in line ${shown}; read on with offset ${shown}]`;
}
