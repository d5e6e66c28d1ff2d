import { CommanderError } from "commander";
import { createContext, type Context, type Io } from "./context.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { Interruption } from "./interruption.ts";
import { storeSchemes, type StoreSchemes } from "./open-store.ts";
import { OutputClosedError } from "./output/output.ts";
import { createProgram } from "./program.ts";
import { complain } from "./report-error.ts";

/**
 * Runs the tool once. Prints errors itself, in one line each.
 *
 * @param words - the command line without the interpreter and the script
 * @returns the exit code
 */
export async function run(
  words: readonly string[],
  io: Io,
  schemes: StoreSchemes = storeSchemes,
): Promise<number> {
  const context = createContext(io, schemes);
  try {
    await createProgram(context).parseAsync([...words], { from: "user" });
    await context.out.flush();
    return exitCodes.ok;
  } catch (error) {
    return await endWith(error, context);
  } finally {
    context.input.close();
  }
}

async function endWith(error: unknown, context: Context): Promise<number> {
  const { signal } = context.io;
  try {
    await context.out.flush();
  } catch {
    // Either it is the error at hand, or nobody is left to read what is missing.
  }
  if (error instanceof OutputClosedError) return exitCodes.ok;
  if (error instanceof Interruption) return error.exitCode;
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof Interruption ? reason.exitCode : exitCodes.interrupted;
  }
  if (error instanceof CommanderError) return endOfParsing(error, context);
  await complain(context, error);
  return exitCodeOf(error);
}

async function endOfParsing(error: CommanderError, context: Context): Promise<number> {
  if (error.exitCode === 0) return exitCodes.ok;
  const message = error.message.replace(/^error: /, "");
  const text = error.code === "commander.help" ? "Name a command; --help lists them" : message;
  await complain(context, new Error(text));
  return exitCodes.usage;
}
