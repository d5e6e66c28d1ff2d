import type { Command } from "commander";
import type { SessionInfo } from "../../src/index.ts";
import type { Context } from "../context.ts";
import { listSessions } from "../list-sessions.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { formatAge, formatTime, isoTime } from "../output/format-time.ts";
import { padCells } from "../output/width.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStore } from "../with-store.ts";

interface ListOptions {
  readonly prefix?: string | undefined;
  readonly limit?: number | undefined;
}

export function addListCommand(program: Command, context: Context): void {
  program
    .command("ls")
    .description("list the sessions, most recent change first: head, last change, id")
    .option("--prefix <text>", "only ids that start with this")
    .option("--limit <n>", "at most this many", strictNumber())
    .action(async (options: ListOptions, command: Command) => {
      const { json = false } = globalsOf(command);
      const { prefix = "", limit = Number.MAX_SAFE_INTEGER } = options;
      const now = Date.now();
      await withStore(context, command, "fail", async (store) => {
        if (limit === 0) return;
        let shown = 0;
        for await (const info of listSessions(store, prefix)) {
          context.io.signal.throwIfAborted();
          await context.out.line(json ? jsonLine(jsonOf(info)) : row(info, now, context));
          shown += 1;
          if (shown === limit) return;
        }
      });
    });
}

function jsonOf({ id, head, mtime, damaged }: SessionInfo): object {
  return { id, head, mtime, time: isoTime(mtime), damaged: damaged === true };
}

/** The id goes last, where its length and width cannot shift anything. */
function row({ id, head, mtime, damaged }: SessionInfo, now: number, context: Context): string {
  const { style } = context;
  const time = style.dim(`${formatTime(mtime)}  ${padCells(formatAge(mtime, now), 14)}`);
  const mark = damaged === true ? ` ${style.bad("damaged")}` : "";
  return `${String(head).padStart(8)}  ${time}  ${style.bold(showId(id))}${mark}`;
}
