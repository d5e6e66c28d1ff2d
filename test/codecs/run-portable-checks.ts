// Runs the portable checks in whatever runtime starts it, and prints their report as one line of JSON.
import { goldenFiles } from "./golden-files.ts";
import { portableChecks } from "./portable-checks.ts";

console.log(JSON.stringify(await portableChecks(goldenFiles().map(([, golden]) => golden))));
