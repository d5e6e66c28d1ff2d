import type { Command } from "commander";
import { requireSessionId } from "../../src/index.ts";
import type { Context } from "../context.ts";
import { requireKeyStore, withKeyStore } from "../keys/with-key-store.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf } from "../with-store.ts";

const help = `
Undoes nothing: the keys are gone, and the records that were sealed with them stay unreadable. It takes
away the mark that ckpt shred has left, so that the session's name can be used again, after ckpt rm.
Needs --key-store and no key.`;

export function addReviveCommand(program: Command, context: Context): void {
  sessionArgument(program.command("revive"))
    .description("let a session that was shredded have new keys; its old records stay unreadable")
    .addHelpText("after", help)
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const session = requiredSession(argument, options);
      requireSessionId(session);
      const revived = await withKeyStore(requireKeyStore(context, command), async (store) => {
        if (!(await store.get(session)).shredded) return false;
        await store.revive(session);
        return true;
      });
      const text = `${showId(session)}: ${revived ? "may have new keys" : "was not shredded"}`;
      const { json = false } = globalsOf(command);
      await context.out.note(json ? jsonLine({ session, revived }) : text);
    });
}
