import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package that is running: two folders up in the sources, three in `dist/`. */
export async function ownPackage(): Promise<string> {
  for (const place of ["../../package.json", "../../../package.json"]) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return dirname(path);
  }
  throw new Error("The package has no package.json");
}
