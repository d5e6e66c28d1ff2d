/** What children load to open a store of the kit: built code, also where this file runs as TypeScript. */
export const processModule: string = new URL(
  import.meta.url.endsWith(".ts")
    ? "../../dist/cli/certify/process-module.js"
    : "./process-module.js",
  import.meta.url,
).href;
