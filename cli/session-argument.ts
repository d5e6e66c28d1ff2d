import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";

/** Options of a command that names its session with `sessionArgument`. */
export interface SessionOption {
  readonly session?: string | undefined;
}

/**
 * Lets a command name its session as an argument or as `--session=<id>`, which also takes ids that
 * start with a dash.
 */
export function sessionArgument(command: Command): Command {
  return command
    .argument("[session]", "id of the session; after -- it may start with a dash")
    .option("--session <id>", "the same, as --session=<id>");
}

/** The session that was named, or undefined. */
export function namedSession(
  argument: string | undefined,
  options: SessionOption,
): string | undefined {
  if (argument !== undefined && options.session !== undefined) {
    throw new CliError(exitCodes.usage, "Name the session once: as an argument or with --session");
  }
  return argument ?? options.session;
}

/** The session that was named. */
export function requiredSession(argument: string | undefined, options: SessionOption): string {
  const sessionId = namedSession(argument, options);
  if (sessionId === undefined) throw new CliError(exitCodes.usage, "Name a session");
  return sessionId;
}
