import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireSession } from "../find-session.ts";
import { planSealing, sealingOptionsOf } from "../keys/sealing-options.ts";
import { sealSessions } from "../seal-sessions.ts";
import { namedSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf, withStore } from "../with-store.ts";

interface RekeyOptions extends SessionOption {
  readonly renew?: boolean | undefined;
}

const help = `
Each session is replaced in one step; sessions that are current are skipped, so an interrupted run
goes on where it stopped. ckpt rotate makes a new key first. With --key-store every session has its
own key, which ckpt rotate wraps anew without touching a record; --renew is for one that leaked.`;

export function addRekeyCommand(program: Command, context: Context): void {
  sessionArgument(program.command("rekey"))
    .description("seal sessions anew under the primary key, one or all; skips current ones")
    .option("--renew", "with --key-store: give the named session another key of its own first")
    .addHelpText("after", help)
    .action(async (argument: string | undefined, options: RekeyOptions, command: Command) => {
      const sessionId = namedSession(argument, options);
      const { json = false } = globalsOf(command);
      const { keyFile, keyStore } = planSealing(sealingOptionsOf(context, command));
      if (keyFile === null) throw usage("Name the key to seal with: --key-file <path>");
      if (options.renew === true && (keyStore === null || sessionId === undefined)) {
        throw usage("--renew: wanted a session and --key-store");
      }
      await withStore(context, command, "fail", async (store, { sessionKeys }) => {
        if (options.renew === true && sessionId !== undefined) {
          await requireSession(store, sessionId);
          await sessionKeys?.renew(sessionId);
        }
        const operation = "rekey" as const;
        await sealSessions(context, store, { operation, sessionId, tellSkipped: true, json });
      });
    });
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
