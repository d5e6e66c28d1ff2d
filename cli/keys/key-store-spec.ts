import type { SessionKeyStore } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { isThere, pathOf } from "../location.ts";
import { escapeText } from "../output/escape.ts";

const openers: Readonly<Record<string, (path: string) => Promise<SessionKeyStore>>> = {
  file: async (dir) => {
    const { fileKeyStore } = await import("../../adapters/file/index.ts");
    return fileKeyStore({ dir });
  },
  sqlite: async (file) => {
    const { sqliteKeyStore } = await import("../../adapters/sqlite/index.ts");
    return sqliteKeyStore({ file });
  },
};

/** A place for session keys, which need not be there. */
export interface KeyStorePlace {
  /** As it was typed, safe to print. */
  readonly shown: string;
  readonly location: string;
  exists(): Promise<boolean>;
  open(): Promise<SessionKeyStore>;
}

/** @throws CliError for anything but `file:<directory>` and `sqlite:<file>` */
export function parseKeyStore(spec: string): KeyStorePlace {
  const colon = spec.indexOf(":");
  const scheme = spec.slice(0, Math.max(0, colon));
  const location = spec.slice(colon + 1);
  const open = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  const shown = escapeText(spec);
  if (open === undefined || location === "") {
    const wanted = "wanted file:<directory> or sqlite:<file>";
    throw new CliError(exitCodes.usage, `--key-store: ${wanted}; met "${shown}"`);
  }
  return {
    shown,
    location,
    exists: () => isThere(location, spec),
    open: () => open(pathOf(location)),
  };
}
