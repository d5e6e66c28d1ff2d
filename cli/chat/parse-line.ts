import type { RestoreOptions } from "../../agent/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";

/** What a line asks for. */
export type ChatRequest =
  | { readonly name: "send"; readonly prompt: string }
  | { readonly name: "compact"; readonly instructions: string | undefined }
  | { readonly name: "restore"; readonly seq: number; readonly options: RestoreOptions }
  | { readonly name: "resume"; readonly sessionId: string; readonly force: boolean }
  | { readonly name: "checkpoints" | "sessions" | "clear" | "help" }
  | { readonly name: "exit" };

const help = {
  compact: ["[instructions]", "go on with a summary, which keeps what you say it should"],
  checkpoints: ["", "where this session can go back to, and the files that is about"],
  restore: ["<seq>", "take files and conversation back to just before a checkpoint"],
  sessions: ["", "the sessions of this store, the latest first"],
  resume: ["<id>", "go on with another session, or with a branch that /restore kept"],
  clear: ["", "begin a new session; this one stays"],
  help: ["", "this text"],
  exit: ["", "leave, as Ctrl-D does"],
} as const;

/** What a line may begin with. */
export const chatCommands: readonly string[] = Object.keys(help).map((name) => `/${name}`);

/** What `/help` says. */
export const chatHelp: string = [
  ...Object.entries(help).map(([name, [argument, text]]) => {
    return `${`/${name} ${argument}`.padEnd(24)}${text}`;
  }),
  "/restore takes --conversation-only and --files-only; it and /resume take --force, which",
  "overwrites what others changed.",
  "Everything else is said to the model; a space in front says a line that begins with /.",
  "Ctrl-C stops what runs; pressed twice, it leaves.",
].join("\n");

/**
 * Reads a line. One that begins with `/` and a word is a command; with a space before it, it is a prompt as any
 * other line.
 *
 * @returns null for a blank line
 * @throws CliError for what is no command, or is written wrongly
 */
export function parseLine(line: string): ChatRequest | null {
  const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(line.trimEnd()) ?? [];
  if (name === undefined) return line.trim() === "" ? null : { name: "send", prompt: line };
  const argument = rest.trim();
  switch (name) {
    case "compact":
      return { name, instructions: argument === "" ? undefined : argument };
    case "restore":
      return parseRestore(argument.split(/\s+/));
    case "resume":
      if (argument === "") throw refused("Wanted /resume <id>; /sessions lists them");
      return {
        name,
        sessionId: argument.replace(/\s+--force$/, ""),
        force: /\s--force$/.test(argument),
      };
    case "checkpoints":
    case "sessions":
    case "clear":
    case "help":
    case "exit":
      if (argument !== "") throw refused(`/${name} stands alone`);
      return { name };
    default:
      throw refused(`No command /${escapeText(name)}; /help lists them`);
  }
}

const flags = ["--conversation-only", "--files-only", "--force"];

function parseRestore(words: readonly string[]): ChatRequest {
  const [seq, ...others] = words.filter((word) => !flags.includes(word));
  if (seq === undefined || !/^[1-9][0-9]{0,14}$/.test(seq) || others.length > 0) {
    const shape = "/restore <seq> [--conversation-only] [--files-only] [--force]";
    throw refused(`Wanted ${shape}; /checkpoints lists the seqs`);
  }
  const [files, conversation] = [
    !words.includes("--conversation-only"),
    !words.includes("--files-only"),
  ];
  if (!files && !conversation) throw refused("/restore: both options together leave nothing to do");
  const options = { files, conversation, force: words.includes("--force") };
  return { name: "restore", seq: Number(seq), options };
}

function refused(message: string): CliError {
  return new CliError(exitCodes.failed, message);
}
