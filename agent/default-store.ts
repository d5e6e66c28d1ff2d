import { homedir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileCheckpointer } from "../adapters/file/index.ts";
import type { Checkpointer } from "../src/index.ts";
import { sha256 } from "./sha256.ts";

/** Where sessions go when nobody says otherwise; see {@link defaultStoreDirectory}. */
export function defaultStore(workdir: string): Checkpointer {
  return fileCheckpointer({ dir: defaultStoreDirectory(workdir) });
}

/**
 * The directory of the default store: under the user's data directory, one folder a project.
 *
 * @param workdir - absolute, without symbolic links
 */
export function defaultStoreDirectory(workdir: string): string {
  const hash = sha256(workdir).slice(0, 16);
  const name = basename(workdir)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(0, 64);
  return join(dataDirectory(), "checkpointer-kit", `${name}-${hash}`);
}

/** As the XDG base directory specification, Apple's file system guide and Microsoft's known folders have it. */
function dataDirectory(): string {
  const { XDG_DATA_HOME: xdg, LOCALAPPDATA: local } = process.env;
  if (xdg !== undefined && xdg !== "") return xdg;
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  if (process.platform === "win32") return local ?? join(homedir(), "AppData", "Local");
  return join(homedir(), ".local", "share");
}
