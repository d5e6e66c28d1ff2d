import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import type { Context, Store } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { openStore, type WhenMissing } from "./open-store.ts";

/** Options that every command understands. */
export interface GlobalOptions {
  readonly store?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The options given before or after the command's name that belong to all commands. */
export function globalsOf(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

/** Opens the store of `--store` or CHECKPOINTER_STORE, hands it to `work`, and always closes it. */
export async function withStore<T>(
  context: Context,
  command: Command,
  whenMissing: WhenMissing,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const spec = globalsOf(command).store ?? context.io.env["CHECKPOINTER_STORE"];
  return withStoreAt(context, spec ?? "", whenMissing, work);
}

/** {@link withStore} for a spec that a command takes itself. */
export async function withStoreAt<T>(
  context: Context,
  spec: string,
  whenMissing: WhenMissing,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (spec === "") {
    throw new CliError(exitCodes.usage, "Name a store: --store <spec>, or set CHECKPOINTER_STORE");
  }
  const store = await openStore(context.schemes, spec, whenMissing);
  let result: T;
  try {
    result = await work(store);
  } catch (error) {
    // The first failure is the one to report.
    await store.close().catch(() => undefined);
    throw error;
  }
  await store.close();
  return result;
}
