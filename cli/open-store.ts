import type { CheckpointerOptions } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import type { Store } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { isThere, pathOf } from "./location.ts";
import { postgresScheme } from "./postgres-scheme.ts";
import { escapeText } from "./output/escape.ts";
import { redact } from "./redact.ts";

/** One kind of store that `--store` can name. */
export interface StoreScheme {
  /** How such a spec looks, for help and errors. */
  readonly shape: string;
  /** `location` is what follows the scheme and its colon, `spec` the whole. */
  readonly open: (location: string, spec: string, sealing: CheckpointerOptions) => Promise<Store>;
  /** Whether there is something to look at, found out without creating it. */
  readonly exists: (location: string, spec: string) => Promise<boolean>;
}

export type StoreSchemes = Readonly<Record<string, StoreScheme>>;

/** Every kind of store. Adapters are imported when they are named, so none costs the others. */
export const storeSchemes: StoreSchemes = {
  file: {
    shape: "file:<directory>",
    exists: isThere,
    open: async (location, _spec, sealing) => {
      const { fileCheckpointer } = await import("../adapters/file/index.ts");
      return fileCheckpointer({ dir: pathOf(location), ...sealing });
    },
  },
  sqlite: {
    shape: "sqlite:<file>",
    exists: isThere,
    open: async (location, _spec, sealing) => {
      const { sqliteCheckpointer } = await import("../adapters/sqlite/index.ts");
      return sqliteCheckpointer({ file: pathOf(location), ...sealing });
    },
  },
  postgres: postgresScheme,
  postgresql: postgresScheme,
  memory: {
    shape: "memory:",
    exists: async () => true,
    open: async (_location, _spec, sealing) => {
      const { memoryCheckpointer } = await import("../adapters/memory/index.ts");
      return memoryCheckpointer(sealing);
    },
  },
};

/** What to do when the place that a spec names is not there. */
export type WhenMissing = "create" | "fail";

/** Opens a store that was found, or may be created. */
export type StoreOpener = (sealing: CheckpointerOptions) => Promise<Store>;

/**
 * Looks for the store that `spec` names, so that a mistyped name is reported before anything is
 * asked or created.
 *
 * @throws CliError for an unknown scheme, and for a missing store unless it may be created
 */
export async function findStore(
  schemes: StoreSchemes,
  spec: string,
  whenMissing: WhenMissing,
): Promise<StoreOpener> {
  const { scheme, location } = parseSpec(schemes, spec);
  if (whenMissing === "fail" && !(await scheme.exists(location, spec))) {
    throw new CliError(exitCodes.failed, `No store at ${redact(spec)}`);
  }
  return (sealing) => scheme.open(location, spec, sealing);
}

/** Whether `text` begins like a store of a known kind. */
export function isStoreSpec(schemes: StoreSchemes, text: string): boolean {
  return text.includes(":") && Object.hasOwn(schemes, text.slice(0, text.indexOf(":")));
}

function parseSpec(schemes: StoreSchemes, spec: string): { scheme: StoreScheme; location: string } {
  const colon = spec.indexOf(":");
  const name = spec.slice(0, Math.max(0, colon));
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const shapes = [...new Set(Object.values(schemes).map(({ shape }) => shape))];
  if (scheme === undefined) {
    const met = colon < 0 ? "a store without a scheme" : `the unknown scheme "${escapeText(name)}"`;
    throw new CliError(exitCodes.usage, `Wanted a store as ${shapes.join(", ")}; met ${met}`);
  }
  const location = spec.slice(colon + 1);
  if (location === "" && scheme.shape.includes("<")) {
    throw new CliError(exitCodes.usage, `Wanted a store as ${scheme.shape}; met no path`);
  }
  return { scheme, location };
}
