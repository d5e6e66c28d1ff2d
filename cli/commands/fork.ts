import type { Command } from "commander";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addForkCommand(program: Command, context: Context): void {
  program
    .command("fork")
    .description("make a new session of the first events of another")
    .argument("<source>", "id of the session to start from")
    .argument("<atSeq>", "last seq to take", strictNumber({ min: 1 }))
    .argument("<target>", "id of the new session")
    .action(
      async (source: string, atSeq: number, target: string, _options: object, command: Command) => {
        await withStore(context, command, "fail", async (store) => {
          await requireSession(store, source);
          const head = await store.fork(source, atSeq, target);
          const text = `${showId(source)} -> ${showId(target)}: ${formatCount(head, "event")}`;
          const { json } = globalsOf(command);
          await context.out.note(json === true ? jsonLine({ source, target, head }) : text);
        });
      },
    );
}
