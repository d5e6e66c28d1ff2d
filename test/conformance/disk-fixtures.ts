import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fileReaches } from "../../cli/certify/file-reaches.ts";
import { sqliteReaches } from "../../cli/certify/sqlite-reaches.ts";
import type { CreateFixture } from "../../conformance/index.ts";
import { databaseIn, open, openPaced, type StorePlace } from "./process-module.ts";

/** Compiled, since a child process runs no TypeScript. */
const processModule = pathToFileURL("dist/test/conformance/process-module.js").href;

/** One of our adapters on disk, with everything that the suite can reach. */
export function diskFixture(
  adapter: StorePlace["adapter"],
  pipeline: StorePlace["pipeline"],
): CreateFixture {
  return () => {
    const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
    const directory = join(root, "store");
    mkdirSync(directory);
    const place: StorePlace = { adapter, directory, pipeline };
    return {
      name: `${adapter}, ${pipeline}`,
      open: () => open(place),
      openPaced: (pace) => openPaced(place, pace),
      processModule,
      processArgument: place,
      directory,
      dispose: () => rmSync(root, { recursive: true }),
      ...(adapter === "file" ? fileReaches(directory) : sqliteReaches(databaseIn(directory))),
    };
  };
}
