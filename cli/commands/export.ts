import type { Command } from "commander";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { recordOfEvent } from "../input/imported-value.ts";
import { jsonLine } from "../output/escape.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { withStore } from "../with-store.ts";

export function addExportCommand(program: Command, context: Context): void {
  sessionArgument(program.command("export"))
    .description("write the records of a session as JSONL, equal to those that were imported")
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const sessionId = requiredSession(argument, options);
      await withStore(context, command, "fail", async (store) => {
        let written = 0;
        for await (const { event } of store.read(sessionId, { signal: context.io.signal })) {
          await context.out.line(jsonLine(recordOfEvent(event)));
          written += 1;
        }
        if (written === 0) await requireSession(store, sessionId);
      });
    });
}
