import { resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { pathOf } from "../location.ts";
import type { SealingPlan } from "./sealing-options.ts";

/**
 * Refuses keys or an anchor in the place of the records: whoever copies or changes those would have
 * these as well.
 */
export function requireApart(storeSpec: string, { keyStore, anchor }: SealingPlan): void {
  const store = resolve(pathOf(storeSpec.slice(storeSpec.indexOf(":") + 1)));
  const isStore = (path: string | undefined): boolean => {
    return path !== undefined && resolve(pathOf(path)) === store;
  };
  if (isStore(keyStore?.location)) throw usage("--key-store: wanted another place than the store");
  if (isStore(anchor ?? undefined)) throw usage("--anchor: wanted another place than the store");
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
