import { realpath } from "node:fs/promises";
import type { Command } from "commander";
import type { ModelOptions } from "../chat/choose-model.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireApart } from "../keys/require-apart.ts";
import { openSealing } from "../keys/sealing.ts";
import { planSealing, sealingOptionsOf } from "../keys/sealing-options.ts";
import { escapeText } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";
import { globalsOf, withStoreAt } from "../with-store.ts";

interface ChatOptions extends ModelOptions {
  readonly workdir: string;
  readonly resume?: string | undefined;
}

const help = `
The model reads and changes files of the working directory with tools; each change can be taken back with
/restore. There is no shell. Without --model, the key in the environment decides: ANTHROPIC_API_KEY before
OPENAI_API_KEY. Without --store, sessions are files under your data directory, a folder for each working
directory. /help lists what can be typed. Lines from a pipe are run one by one, until one fails.`;

export function addChatCommand(program: Command, context: Context): void {
  program
    .command("chat")
    .description("talk to an agent that changes files, and take it back")
    .option("--model <provider/name>", "anthropic/<name> or openai/<name>")
    .option("--scripted <file>", "answers from a file instead of a model: JSON, an answer a line")
    .option("--workdir <dir>", "the directory it works in", ".")
    .option("--resume <id>", "go on with a session")
    .addHelpText("after", help)
    .action(async (options: ChatOptions, command: Command) => {
      if (globalsOf(command).json === true) {
        throw new CliError(
          exitCodes.usage,
          "chat has no --json; ckpt show --json has its sessions",
        );
      }
      const { chooseModel } = await import("../chat/choose-model.ts");
      const chosen = await chooseModel(context.io, options);
      const workdir = await requireDirectory(options.workdir);
      const named = globalsOf(command).store ?? context.io.env["CHECKPOINTER_STORE"];
      const spec = named ?? (await defaultSpec(workdir));
      const plan = planSealing(sealingOptionsOf(context, command));
      requireApart(spec, plan);
      const { runChat } = await import("../chat/run-chat.ts");
      const sessionId = options.resume;
      // A mistyped store has no session to go on with, and must not become a new one.
      const whenMissing = sessionId === undefined ? "create" : "fail";
      const open = (): ReturnType<typeof openSealing> => openSealing(context, plan, whenMissing);
      await withStoreAt(context, spec, whenMissing, open, (store) =>
        runChat(context, { store, chosen, workdir, sessionId }),
      );
    });
}

async function requireDirectory(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const detail = `Cannot work in ${escapeText(path)}: ${systemMessage(error)}`;
    throw new CliError(exitCodes.failed, detail);
  }
}

async function defaultSpec(workdir: string): Promise<string> {
  const { defaultStoreDirectory } = await import("../../agent/default-store.ts");
  return `file:${defaultStoreDirectory(workdir)}`;
}
