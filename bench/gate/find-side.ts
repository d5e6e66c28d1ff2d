import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackage, type InstallOptions } from "./install-package.ts";
import type { AdapterName, SideSource } from "./messages.ts";
import { SideError } from "./side-error.ts";

/** What a side on a command line is. */
export type FoundSide =
  | { readonly kind: "packed"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "fixture"; readonly path: string };

/**
 * What is at the path of a side: a packed package, the folder of an installed one, or a fixture module.
 *
 * @param name - what messages call the side
 * @throws SideError where it is none of them
 */
export async function findSide(name: string, path: string): Promise<FoundSide> {
  const absolute = resolve(path);
  const found = await stat(absolute).catch(() => null);
  const wanted = "wanted a packed package (.tgz), a package's folder, or a fixture module (.js)";
  if (found === null) throw new SideError(name, `there is no "${path}"; ${wanted}`);
  if (found.isFile() && /\.t(?:ar\.)?gz$/.test(path)) return { kind: "packed", path: absolute };
  if (found.isFile() && /\.m?js$/.test(path)) return { kind: "fixture", path: absolute };
  if (!found.isDirectory()) throw new SideError(name, `"${path}" is none; ${wanted}`);
  await requirePackage(name, absolute);
  return { kind: "folder", path: absolute };
}

/** Makes a found side ready to be loaded; installs it where it is packed. */
export async function sourceOf(
  name: string,
  { kind, path }: FoundSide,
  adapter: AdapterName,
  options: Omit<InstallOptions, "name">,
): Promise<SideSource> {
  if (kind === "fixture") return { kind, url: pathToFileURL(path).href };
  const root = kind === "folder" ? path : await installPackage(path, { ...options, name });
  return { kind: "package", root, adapter };
}

async function requirePackage(name: string, folder: string): Promise<void> {
  try {
    const text = await readFile(join(folder, "package.json"), "utf8");
    const manifest = JSON.parse(text) as { name?: unknown; exports?: unknown } | null;
    if (typeof manifest?.name === "string" && typeof manifest.exports === "object") return;
  } catch {
    // Said below, whatever the reason.
  }
  throw new SideError(name, "its folder has no package.json with a name and exports");
}
