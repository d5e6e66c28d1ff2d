import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { planSealing, sealingOptionsOf } from "../keys/sealing-options.ts";
import { sealSessions } from "../seal-sessions.ts";
import { namedSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf, withStore } from "../with-store.ts";

const help = `
Each session is replaced in one step. The plain bytes are gone from the log, but the disk, a
snapshot or a backup may still hold them.`;

export function addAdoptCommand(program: Command, context: Context): void {
  sessionArgument(program.command("adopt"))
    .description("seal sessions that were written plain, one or all; skips sealed ones")
    .addHelpText("after", help)
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const sessionId = namedSession(argument, options);
      const { json = false } = globalsOf(command);
      if (planSealing(sealingOptionsOf(context, command)).codec === null) {
        throw new CliError(exitCodes.usage, "Name a key to seal with: --key-file <path>");
      }
      await withStore(
        context,
        command,
        "fail",
        async (store) => {
          const operation = "adopt" as const;
          await sealSessions(context, store, { operation, sessionId, tellSkipped: true, json });
        },
        "create",
      );
    });
}
