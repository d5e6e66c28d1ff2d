import type { Command } from "commander";
import type { SessionKeyStore } from "../../src/index.ts";
import { requireSessionId } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { isInteractive } from "../input/ask-secret.ts";
import { readLine } from "../input/read-line.ts";
import { requireKeyStore, withKeyStore } from "../keys/with-key-store.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { requiredSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { globalsOf } from "../with-store.ts";

interface ShredOptions extends SessionOption {
  readonly yes?: boolean | undefined;
}

const help = `
Every copy of the session's records, in the store and in its backups, is unreadable from then on; no
key opens them again. Needs --key-store and no key. Stop the session's writers first. Backups of the
key store undo it, and plain exports and copies under other keys are not covered. The log itself
stays, for ckpt rm.`;

export function addShredCommand(program: Command, context: Context): void {
  sessionArgument(program.command("shred"))
    .description("destroy the keys of a session, so that its records can never be read again")
    .option("--yes", "do not ask; needed where there is no terminal")
    .addHelpText("after", help)
    .action(async (argument: string | undefined, options: ShredOptions, command: Command) => {
      const session = requiredSession(argument, options);
      requireSessionId(session);
      const place = requireKeyStore(context, command);
      if (options.yes !== true && !isInteractive(context)) {
        const detail = "There is no terminal to ask at: --yes says that it is meant";
        throw new CliError(exitCodes.usage, detail);
      }
      const shredded = await withKeyStore(place, (store) =>
        shred(context, store, session, options.yes === true),
      );
      const text = `${showId(session)}: ${shredded ? "shredded" : "was shredded already"}`;
      const { json = false } = globalsOf(command);
      await context.out.note(json ? jsonLine({ session, shredded }) : text);
    });
}

/** @returns false when it was shredded before */
async function shred(
  context: Context,
  store: SessionKeyStore,
  session: string,
  isMeant: boolean,
): Promise<boolean> {
  const known = await store.get(session);
  if (known.shredded) return false;
  // A tombstone for a mistyped id would keep a later session from ever having keys.
  if (known.keys.length === 0) {
    throw new CliError(exitCodes.failed, `No keys of session ${showId(session)}`);
  }
  if (!isMeant) {
    const { stderr } = context.io;
    stderr.write(`Make every record of session ${showId(session)} unreadable? Type yes: `);
    if ((await readLine(context.input)) !== "yes") {
      throw new CliError(exitCodes.failed, "Not shredded");
    }
  }
  await store.shred(session);
  return true;
}
