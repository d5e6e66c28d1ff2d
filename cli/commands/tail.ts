import type { Command } from "commander";
import type { EventObject, StoredEvent } from "../../src/index.ts";
import type { Context, Store } from "../context.ts";
import { requireSession } from "../find-session.ts";
import { eventPrinter } from "../output/event-line.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStore } from "../with-store.ts";

interface TailOptions extends SessionOption {
  readonly follow?: boolean | undefined;
  readonly count?: number | undefined;
  readonly since?: number | undefined;
}

const defaultCount = 10;

export function addTailCommand(program: Command, context: Context): void {
  sessionArgument(program.command("tail"))
    .description("print the last events of a session, and with -f every new one")
    .option("-f, --follow", "go on with each new event until interrupted; waits for the session")
    .option(
      "-n, --count <n>",
      `how many of the last events (default: ${defaultCount})`,
      strictNumber(),
    )
    .option("--since <seq>", "every event after this seq instead", strictNumber())
    .action(async (argument: string | undefined, options: TailOptions, command: Command) => {
      const sessionId = requiredSession(argument, options);
      await withStore(context, command, "fail", async (store) => {
        const print = eventPrinter(context, globalsOf(command).json === true);
        const sinceSeq = await firstToSkip(store, sessionId, options);
        if (options.follow !== true) {
          await requireSession(store, sessionId);
          const { signal } = context.io;
          for await (const stored of store.read(sessionId, { sinceSeq, signal }))
            await print(stored);
          return;
        }
        await follow(context, store, sessionId, sinceSeq, print);
      });
    });
}

async function follow(
  { io, out }: Context,
  store: Store,
  sessionId: string,
  sinceSeq: number,
  print: (stored: StoredEvent<EventObject>) => Promise<void>,
): Promise<void> {
  for await (const stored of store.tail(sessionId, { sinceSeq, signal: io.signal })) {
    await print(stored);
    await out.flush();
  }
}

/** Counted from the head rather than read backwards, so that the memory needed does not grow. */
async function firstToSkip(
  store: Store,
  sessionId: string,
  { count, since }: TailOptions,
): Promise<number> {
  if (since !== undefined && count === undefined) return since;
  const head = await store.head(sessionId);
  return Math.max(since ?? 0, head - (count ?? defaultCount));
}
