import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeName } from "../../adapters/file/session-files.ts";
import type { Anchor } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { isThere, pathOf } from "../location.ts";
import { escapeText } from "../output/escape.ts";
import { isPostgres, openPostgres, shapeOf, withPostgres } from "../postgres-place.ts";
import { redact } from "../redact.ts";

/** A place for an anchor, which need not be there. */
export interface AnchorPlace {
  /** As it was typed, safe to print. */
  readonly shown: string;
  readonly spec: string;
  /** What to do where there is none yet. */
  readonly beginning: string;
  exists(): Promise<boolean>;
  open(): Promise<Anchor>;
  /** The sessions that it remembers, whether or not a log is left of them. */
  sessions(): AsyncGenerator<string>;
}

/** The schema where none is named. */
export const defaultAnchorSchema = "checkpointer_anchors";

/** How anchors are named, for help and errors. */
export const anchorShapes: string = `<directory>, ${shapeOf(defaultAnchorSchema)}`;

/** @throws CliError for nothing at all */
export function parseAnchor(spec: string): AnchorPlace {
  if (spec === "") {
    throw new CliError(exitCodes.usage, `--anchor: wanted ${anchorShapes}; met nothing`);
  }
  const shown = escapeText(redact(spec));
  return { shown, spec, ...(isPostgres(spec) ? inPostgres(spec) : inDirectory(spec)) };
}

type Place = Omit<AnchorPlace, "shown" | "spec">;

function inPostgres(spec: string): Place {
  const open = () =>
    openPostgres("anchor", defaultAnchorSchema, spec, async (place) => {
      const { postgresAnchor } = await import("../../adapters/postgres/index.ts");
      return postgresAnchor(place);
    });
  return {
    beginning: "setup() of a postgresAnchor() starts one",
    exists: () => withPostgres(open(), (anchor) => anchor.isSetUp()),
    open,
    async *sessions() {
      const anchor = await open();
      try {
        yield* anchor.list();
      } finally {
        await anchor.close();
      }
    },
  };
}

function inDirectory(spec: string): Place {
  const dir = pathOf(spec);
  return {
    beginning: "an empty directory starts one",
    exists: () => isThere(spec, spec),
    async open() {
      const { fileAnchor } = await import("../../adapters/file/index.ts");
      return fileAnchor({ dir });
    },
    async *sessions() {
      for (const name of await readdir(dir)) {
        if (!name.endsWith(".anchor")) continue;
        const decoded = decodeName(name.replace(/\.anchor$/, ".jsonl"));
        const sessionId = decoded === null ? await idIn(join(dir, name)) : decoded;
        if (sessionId !== undefined) yield sessionId;
      }
    },
  };
}

/** A long id is in the file alone. */
async function idIn(path: string): Promise<string | undefined> {
  try {
    const { id } = JSON.parse(await readFile(path, "utf8")) as { id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
