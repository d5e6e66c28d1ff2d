import type { Command } from "commander";
import type { VerifyReport } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireSession } from "../find-session.ts";
import { escapeText, jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { namedSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addVerifyCommand(program: Command, context: Context): void {
  sessionArgument(program.command("verify"))
    .description("read and check everything in a session, or in all; changes nothing")
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const sessionId = namedSession(argument, options);
      const { json = false } = globalsOf(command);
      await withStore(context, command, "fail", async (store) => {
        if (sessionId !== undefined) await requireSession(store, sessionId);
        let checked = 0;
        let damaged = 0;
        for await (const report of store.verify(sessionId)) {
          context.io.signal.throwIfAborted();
          await context.out.line(json ? jsonLine(report) : row(report, context));
          checked += 1;
          if (!report.ok) damaged += 1;
        }
        if (damaged === 0) return;
        const count = `${damaged} of ${formatCount(checked, "session")}`;
        throw new CliError(exitCodes.damaged, `${count} damaged`);
      });
    });
}

function row(report: VerifyReport, { style }: Context): string {
  const { sessionId, ok, records, findings } = report;
  const verdict = ok ? style.good("ok     ") : style.bad("damaged");
  const details = findings.map(({ code, message }) => `; ${code}: ${escapeText(message)}`);
  return `${verdict}  ${showId(sessionId)}: ${formatCount(records, "record")}${details.join("")}`;
}
