import type { Command } from "commander";
import type { SessionKeyStore } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseKeyStore, type KeyStorePlace } from "./key-store-spec.ts";
import { sealingOptionsOf } from "./sealing-options.ts";

/**
 * The place that a command names with `--key-store`, for what needs no key.
 *
 * @throws CliError when it names none
 */
export function requireKeyStore(context: Context, command: Command): KeyStorePlace {
  const { keyStore } = sealingOptionsOf(context, command);
  if (keyStore !== undefined) return parseKeyStore(keyStore);
  throw new CliError(exitCodes.usage, "Name the place of the session's keys: --key-store");
}

/** Opens a key store that is there, and closes it again. */
export async function withKeyStore<T>(
  place: KeyStorePlace,
  work: (store: SessionKeyStore) => Promise<T>,
): Promise<T> {
  if (!(await place.exists())) {
    throw new CliError(exitCodes.failed, `No key store at ${place.shown}`);
  }
  const store = await place.open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
