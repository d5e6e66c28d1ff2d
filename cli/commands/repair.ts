import type { Command } from "commander";
import type { Repair } from "../../src/index.ts";
import type { Context } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addRepairCommand(program: Command, context: Context): void {
  sessionArgument(program.command("repair"))
    .description("cut off what a crash left of an append that was never acknowledged")
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const session = requiredSession(argument, options);
      await withStore(context, command, "fail", async (store) => {
        await requireSession(store, session);
        const repair = await store.repair(session);
        const text = `${showId(session)}: ${sentence(repair)}`;
        const { json } = globalsOf(command);
        await context.out.note(json === true ? jsonLine({ session, repair }) : text);
      });
    });
}

function sentence(repair: Repair | null): string {
  if (repair === null) return "nothing to do";
  return `${formatCount(repair.bytes, "byte")} cut off at byte ${repair.offset}`;
}
