import type { Command } from "commander";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addTruncateCommand(program: Command, context: Context): void {
  program
    .command("truncate")
    .description("drop every event after a seq, for good")
    .argument("<session>", "id of the session; after -- it may start with a dash")
    .argument("<toSeq>", "last seq to keep; 0 keeps none", strictNumber())
    .action(async (session: string, toSeq: number, _options: object, command: Command) => {
      await withStore(context, command, "fail", async (store) => {
        await requireSession(store, session);
        // The count that is printed is the count that was dropped, or nothing was.
        const token = await store.headToken(session);
        const before = await store.head(session);
        await store.truncate(session, toSeq, token);
        const head = Math.min(before, toSeq);
        const dropped = before - head;
        const text = `${showId(session)}: ${formatCount(dropped, "event")} dropped, head ${head}`;
        const { json } = globalsOf(command);
        await context.out.note(json === true ? jsonLine({ session, head, dropped }) : text);
      });
    });
}
