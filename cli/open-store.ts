import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";
import type { Store } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { escapeText } from "./output/escape.ts";
import { redact } from "./redact.ts";
import { systemMessage } from "./system-message.ts";

/** One kind of store that `--store` can name. */
interface StoreScheme {
  /** How such a spec looks, for help and errors. */
  readonly shape: string;
  /** `location` is what follows the scheme and its colon, `spec` the whole. */
  readonly open: (location: string, spec: string) => Promise<Store>;
  /** Whether there is something to look at, found out without creating it. */
  readonly exists: (location: string, spec: string) => Promise<boolean>;
}

export type StoreSchemes = Readonly<Record<string, StoreScheme>>;

/** Every kind of store. Adapters are imported when they are named, so none costs the others. */
export const storeSchemes: StoreSchemes = {
  file: {
    shape: "file:<directory>",
    exists: isThere,
    open: async (location) => {
      const { fileCheckpointer } = await import("../adapters/file/index.ts");
      return fileCheckpointer({ dir: pathOf(location) });
    },
  },
  sqlite: {
    shape: "sqlite:<file>",
    exists: isThere,
    open: async (location) => {
      const { sqliteCheckpointer } = await import("../adapters/sqlite/index.ts");
      return sqliteCheckpointer({ file: pathOf(location) });
    },
  },
  memory: {
    shape: "memory:",
    exists: async () => true,
    open: async () => {
      const { memoryCheckpointer } = await import("../adapters/memory/index.ts");
      return memoryCheckpointer();
    },
  },
};

/** What to do when the store a spec names is not there. */
export type WhenMissing = "create" | "fail";

/**
 * Opens the store that `spec` names.
 *
 * @throws CliError for an unknown scheme, and for a missing store unless it may be created
 */
export async function openStore(
  schemes: StoreSchemes,
  spec: string,
  whenMissing: WhenMissing,
): Promise<Store> {
  const { scheme, location } = parseSpec(schemes, spec);
  if (whenMissing === "fail" && !(await scheme.exists(location, spec))) {
    throw new CliError(exitCodes.failed, `No store at ${redact(spec)}`);
  }
  return scheme.open(location, spec);
}

/** Whether `text` begins like a store of a known kind. */
export function isStoreSpec(schemes: StoreSchemes, text: string): boolean {
  return text.includes(":") && Object.hasOwn(schemes, text.slice(0, text.indexOf(":")));
}

function parseSpec(schemes: StoreSchemes, spec: string): { scheme: StoreScheme; location: string } {
  const colon = spec.indexOf(":");
  const name = spec.slice(0, Math.max(0, colon));
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const shapes = Object.values(schemes).map(({ shape }) => shape);
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

/**
 * The path in a spec, literally: nothing is percent-decoded. `//` in front of an absolute path is
 * dropped, as in file URLs, and `~/` means the home directory, which shells only expand at the
 * start of a word.
 */
function pathOf(location: string): string {
  if (location.startsWith("///")) return location.slice(2);
  return location.startsWith("~/") ? join(homedir(), location.slice(2)) : location;
}

async function isThere(location: string, spec: string): Promise<boolean> {
  try {
    await stat(pathOf(location));
    return true;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new CliError(exitCodes.failed, `Cannot open ${redact(spec)}: ${systemMessage(error)}`);
  }
}
