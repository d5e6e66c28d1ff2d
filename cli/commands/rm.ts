import type { Command } from "commander";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addRemoveCommand(program: Command, context: Context): void {
  program
    .command("rm")
    .description("remove sessions whole, for good; none of them when one of them is not there")
    .argument("<sessions...>", "ids; after -- they may start with a dash")
    .action(async (sessions: string[], _options: object, command: Command) => {
      const { json = false } = globalsOf(command);
      await withStore(context, command, "fail", async (store) => {
        for (const session of sessions) await requireSession(store, session);
        for (const session of sessions) {
          context.io.signal.throwIfAborted();
          await store.delete(session);
          const text = `${showId(session)}: removed`;
          await context.out.note(json ? jsonLine({ session, removed: true }) : text);
        }
      });
    });
}
