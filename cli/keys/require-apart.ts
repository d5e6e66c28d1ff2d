import { resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { pathOf } from "../location.ts";
import { isPostgres, postgresPlace } from "../postgres-place.ts";
import { defaultStoreSchema } from "../postgres-scheme.ts";
import { defaultAnchorSchema } from "./anchor-spec.ts";
import { defaultKeySchema } from "./key-store-spec.ts";
import type { SealingPlan } from "./sealing-options.ts";

/**
 * Refuses keys or an anchor in the place of the records: whoever copies or changes those would have
 * these as well.
 */
export function requireApart(storeSpec: string, { keyStore, anchor }: SealingPlan): void {
  const store = placeIn(storeSpec, defaultStoreSchema);
  if (keyStore !== null && placeIn(keyStore.spec, defaultKeySchema) === store) {
    throw usage("--key-store: wanted another place than the store");
  }
  // A directory comes without a scheme.
  const anchorSpec = anchor === null || isPostgres(anchor.spec) ? anchor?.spec : `:${anchor.spec}`;
  if (anchorSpec !== undefined && placeIn(anchorSpec, defaultAnchorSchema) === store) {
    throw usage("--anchor: wanted another place than the store");
  }
}

/** The same text for specs of the same path, or the same schema on a server, whoever connects. */
function placeIn(spec: string, defaultSchema: string): string {
  if (!isPostgres(spec)) return resolve(pathOf(spec.slice(spec.indexOf(":") + 1)));
  const { connectionString, schema } = postgresPlace(spec, defaultSchema);
  const url = URL.canParse(connectionString) ? new URL(connectionString) : null;
  const server =
    url === null ? connectionString : `${url.hostname}:${url.port || "5432"}${url.pathname}`;
  return `postgres ${server} ${schema}`;
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
