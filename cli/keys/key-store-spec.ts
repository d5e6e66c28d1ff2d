import type { SessionKeyStore } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { isThere, pathOf } from "../location.ts";
import { escapeText } from "../output/escape.ts";
import { openPostgres, shapeOf, withPostgres } from "../postgres-place.ts";
import { redact } from "../redact.ts";

interface Opener {
  readonly shape: string;
  readonly exists: (location: string, spec: string) => Promise<boolean>;
  readonly open: (location: string, spec: string) => Promise<SessionKeyStore>;
}

/** The schema where none is named. */
export const defaultKeySchema = "checkpointer_keys";

const openPostgresKeys = (spec: string) =>
  openPostgres("key store", defaultKeySchema, spec, async (place) => {
    const { postgresKeyStore } = await import("../../adapters/postgres/index.ts");
    return postgresKeyStore(place);
  });

const postgres: Opener = {
  shape: shapeOf(defaultKeySchema),
  exists: (_location, spec) => withPostgres(openPostgresKeys(spec), (keys) => keys.isSetUp()),
  open: (_location, spec) => openPostgresKeys(spec),
};

const openers: Readonly<Record<string, Opener>> = {
  file: {
    shape: "file:<directory>",
    exists: isThere,
    open: async (location) => {
      const { fileKeyStore } = await import("../../adapters/file/index.ts");
      return fileKeyStore({ dir: pathOf(location) });
    },
  },
  sqlite: {
    shape: "sqlite:<file>",
    exists: isThere,
    open: async (location) => {
      const { sqliteKeyStore } = await import("../../adapters/sqlite/index.ts");
      return sqliteKeyStore({ file: pathOf(location) });
    },
  },
  postgres,
  postgresql: postgres,
};

/** How key stores are named, for help and errors. */
export const keyStoreShapes: string = [
  ...new Set(Object.values(openers).map(({ shape }) => shape)),
].join(", ");

/** A place for session keys, which need not be there. */
export interface KeyStorePlace {
  /** As it was typed, safe to print. */
  readonly shown: string;
  readonly spec: string;
  exists(): Promise<boolean>;
  open(): Promise<SessionKeyStore>;
}

/** @throws CliError for what is none of {@link keyStoreShapes} */
export function parseKeyStore(spec: string): KeyStorePlace {
  const colon = spec.indexOf(":");
  const scheme = spec.slice(0, Math.max(0, colon));
  const location = spec.slice(colon + 1);
  const opener = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  const shown = escapeText(redact(spec));
  if (opener === undefined || location === "") {
    const wanted = `wanted ${keyStoreShapes}`;
    throw new CliError(exitCodes.usage, `--key-store: ${wanted}; met "${shown}"`);
  }
  return {
    shown,
    spec,
    exists: () => opener.exists(location, spec),
    open: () => opener.open(location, spec),
  };
}
