import { readFileSync } from "node:fs";

/**
 * The version in the kit's package.json, which is one folder up in the sources and two in dist/.
 * `"unknown"` where the code was bundled away from it.
 */
export function packageVersion(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    const version = versionIn(new URL(place, import.meta.url));
    if (version !== null) return version;
  }
  return "unknown";
}

function versionIn(file: URL): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    const { name, version } = manifest as { name?: unknown; version?: unknown };
    return name === "checkpointer-kit" && typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
