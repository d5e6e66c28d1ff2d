import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeName } from "../../adapters/file/session-files.ts";
import { pathOf } from "../location.ts";

const extension = ".anchor";

/** The sessions that an anchor remembers, whether or not a log is left of them. */
export async function* anchoredSessions(anchor: string): AsyncGenerator<string> {
  const dir = pathOf(anchor);
  for (const name of await readdir(dir)) {
    if (!name.endsWith(extension)) continue;
    const decoded = decodeName(name.replace(/\.anchor$/, ".jsonl"));
    const sessionId = decoded === null ? await idIn(join(dir, name)) : decoded;
    if (sessionId !== undefined) yield sessionId;
  }
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
