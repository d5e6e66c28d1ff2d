import { chmod, mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";

/** The user that a server runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whom a server runs as that refuses to run as root; undefined: as this process.
 *
 * @throws Error when this is root, and there is no user `postgres` or `nobody`
 */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const found = users.find(([name]) => name === wanted);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody");
}

/** A new temporary folder that the server's user gets through, without seeing what is there. */
export async function makeFolder(user: ServerUser | undefined, prefix: string): Promise<string> {
  const place = user === undefined || (await isOpenToAll(tmpdir())) ? tmpdir() : "/tmp";
  const folder = await mkdtemp(join(place, prefix));
  if (user !== undefined) await chmod(folder, 0o711);
  return folder;
}

/** Whether any user can get at what is in a folder. */
export async function isOpenToAll(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return parent === folder || isOpenToAll(parent);
}
