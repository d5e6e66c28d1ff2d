import type { Command } from "commander";
import { isCheckpointError, type ErrorCode } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context, Store } from "../context.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { requireSession } from "../find-session.ts";
import { listSessions } from "../list-sessions.ts";
import { escapeText, jsonLine, showId } from "../output/escape.ts";
import { formatBytes, formatCount } from "../output/format-count.ts";
import { formatTime } from "../output/format-time.ts";
import { namedSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { createTally, type Statistics, type Tally } from "../tally.ts";
import { globalsOf, withStore } from "../with-store.ts";

export function addStatsCommand(program: Command, context: Context): void {
  sessionArgument(program.command("stats"))
    .description("count sessions, events and bytes of JSON by type, in a session or in all")
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const sessionId = namedSession(argument, options);
      await withStore(context, command, "fail", async (store) => {
        if (sessionId !== undefined) await requireSession(store, sessionId);
        const tally = createTally();
        let damaged = 0;
        const codes = new Set<ErrorCode>();
        for await (const id of sessionId === undefined ? allIds(store) : [sessionId]) {
          const failure = await countSession(context, store, id, tally);
          if (failure === null) continue;
          damaged += 1;
          codes.add(failure);
        }
        const statistics = { ...tally.result(), damaged };
        const lines = globalsOf(command).json === true ? [jsonLine(statistics)] : table(statistics);
        for (const line of lines) await context.out.line(line);
        if (damaged === 0) return;
        const count = formatCount(damaged, "session");
        const reasons = [...codes].join(", ");
        throw new CliError(exitCodes.damaged, `${count} could not be read to the end (${reasons})`);
      });
    });
}

async function* allIds(store: Store): AsyncGenerator<string> {
  for await (const { id } of listSessions(store)) yield id;
}

/** @returns why the session could not be read to its end; null when it was */
async function countSession(
  { io }: Context,
  store: Store,
  sessionId: string,
  tally: Tally,
): Promise<ErrorCode | null> {
  tally.beginSession();
  try {
    for await (const stored of store.read(sessionId, { signal: io.signal })) tally.add(stored);
    return null;
  } catch (error) {
    if (isCheckpointError(error) && exitCodeOf(error) === exitCodes.damaged) return error.code;
    throw error;
  }
}

function table(statistics: Statistics): string[] {
  const { sessions, events, bytes, types, largest, firstTime, lastTime } = statistics;
  const lines = [
    `${formatCount(sessions, "session")}, ${formatCount(events, "event")}, ${size(bytes)}`,
  ];
  if (firstTime !== null && lastTime !== null) {
    lines.push(`from ${formatTime(firstTime)} to ${formatTime(lastTime)}`);
  }
  if (largest !== null) {
    const place = `seq ${largest.seq} of ${showId(largest.sessionId)}`;
    lines.push(`largest event: ${formatBytes(largest.bytes)}, ${place}`);
  }
  for (const type of types) {
    const name = type.type === null ? "(other)" : escapeText(type.type);
    const count = type.events.toLocaleString("en-US").padStart(10);
    lines.push(`${count}  ${formatBytes(type.bytes).padStart(9)}  ${name}`);
  }
  return lines;
}

function size(bytes: number): string {
  return `${formatBytes(bytes)} of JSON`;
}
