import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import type { Context, Store } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { requireApart } from "./keys/require-apart.ts";
import { openSealing, type Sealing } from "./keys/sealing.ts";
import { planSealing, sealingOptionsOf } from "./keys/sealing-options.ts";
import { findStore, type WhenMissing } from "./open-store.ts";

/** Options that every command understands, besides those of `SealingOptions`. */
export interface GlobalOptions {
  readonly store?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The options given before or after the command's name that belong to all commands. */
export function globalsOf(command: Command): GlobalOptions {
  return command.optsWithGlobals<GlobalOptions>();
}

/** The store of `--store` or CHECKPOINTER_STORE; "" when there is none. */
export function storeSpecOf({ io }: Context, command: Command): string {
  return globalsOf(command).store ?? io.env["CHECKPOINTER_STORE"] ?? "";
}

/**
 * Opens the store that the options name, sealed as they say, hands it to `work`, and always closes
 * it.
 *
 * @param keysMissing - as `whenMissing`, for what the keys need
 */
export async function withStore<T>(
  context: Context,
  command: Command,
  whenMissing: WhenMissing,
  work: (store: Store, sealing: Sealing) => Promise<T>,
  keysMissing: WhenMissing = whenMissing,
): Promise<T> {
  const plan = planSealing(sealingOptionsOf(context, command));
  const spec = storeSpecOf(context, command);
  requireApart(spec, plan);
  const open = (): Promise<Sealing> => openSealing(context, plan, keysMissing);
  return withStoreAt(context, spec, whenMissing, open, work);
}

/** {@link withStore} for a spec and a sealing that a command has found out itself. */
export async function withStoreAt<T>(
  context: Context,
  spec: string,
  whenMissing: WhenMissing,
  openSealed: () => Promise<Sealing>,
  work: (store: Store, sealing: Sealing) => Promise<T>,
): Promise<T> {
  requireStoreSpec(spec);
  const open = await findStore(context.schemes, spec, whenMissing);
  return withSealing(openSealed, async (sealing) => {
    const { codec, anchor } = sealing;
    const store = await open({ codec, anchor });
    return closing(store, () => work(store, sealing));
  });
}

/** Hands a sealing to `work` and always closes it. */
export async function withSealing<T>(
  open: () => Promise<Sealing>,
  work: (sealing: Sealing) => Promise<T>,
): Promise<T> {
  const sealing = await open();
  try {
    return await closing(sealing, () => work(sealing));
  } catch (error) {
    throw sealing.explain(error);
  }
}

/** @throws CliError when no store was named */
export function requireStoreSpec(spec: string): void {
  if (spec !== "") return;
  throw new CliError(exitCodes.usage, "Name a store: --store <spec>, or set CHECKPOINTER_STORE");
}

async function closing<T>(
  resource: { close(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // The first failure is the one to report.
    await resource.close().catch(() => undefined);
    throw error;
  }
  await resource.close();
  return result;
}
