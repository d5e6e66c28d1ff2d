import type { Command } from "commander";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { eventPrinter } from "../output/event-line.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStore } from "../with-store.ts";

interface ShowOptions extends SessionOption {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
  readonly reverse?: boolean | undefined;
}

export function addShowCommand(program: Command, context: Context): void {
  sessionArgument(program.command("show"))
    .description("print the events of a session, a line each: seq, time, type, summary")
    .option("--since <seq>", "only events after this seq", strictNumber())
    .option("--until <seq>", "only events up to this seq", strictNumber())
    .option("--limit <n>", "at most this many", strictNumber())
    .option("--reverse", "newest first")
    .action(async (argument: string | undefined, options: ShowOptions, command: Command) => {
      const sessionId = requiredSession(argument, options);
      const { since, until, limit, reverse } = options;
      await withStore(context, command, "fail", async (store) => {
        const print = eventPrinter(context, globalsOf(command).json === true);
        const { signal } = context.io;
        const range = { sinceSeq: since, untilSeq: until, limit, reverse, signal };
        let shown = 0;
        for await (const stored of store.read(sessionId, range)) {
          await print(stored);
          shown += 1;
        }
        if (shown === 0) await requireSession(store, sessionId);
      });
    });
}
