import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CreateFixture } from "../../conformance/index.ts";
import type { Defects } from "./defects.ts";
import { fileNameOf } from "./jsonl-store.ts";
import { open, type BrokenPlace } from "./process-module.ts";

/** Compiled, since a child process runs no TypeScript. */
const processModule = pathToFileURL("dist/test/disk-zoo/process-module.js").href;

/** The plain file store with defects, as a fixture with everything that the suite can reach. */
export function onDisk(defects: Defects): CreateFixture {
  return () => {
    const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
    const directory = join(root, "store");
    if (defects.wantsToCreateTheFolder !== true) mkdirSync(directory);
    const place: BrokenPlace = { directory, defects };
    return {
      name: "plain files",
      open: () => open(place),
      processModule,
      processArgument: place,
      directory,
      storage: "files",
      logFile: (id) => join(directory, fileNameOf(id, defects)),
      expireLocks() {
        const longAgo = new Date(Date.now() - 3_600_000);
        for (const name of readdirSync(directory)) {
          if (name.endsWith(".lock")) utimesSync(join(directory, name), longAgo, longAgo);
        }
      },
      dispose: () => rmSync(root, { recursive: true, force: true }),
    };
  };
}
