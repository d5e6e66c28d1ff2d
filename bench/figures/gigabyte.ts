import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What the child process reports. */
export interface GigabyteFigures {
  readonly events: number;
  readonly megabytes: number;
  readonly seconds: number;
  /** Highest resident set while the first and while the last quarter was under way, in MiB. */
  readonly firstQuarterMiB: number;
  readonly lastQuarterMiB: number;
  readonly peakMiB: number;
}

const child = fileURLToPath(new URL("gigabyte-child.js", import.meta.url));
const heapMiB = 256;

/**
 * Writes a session of about 1 GB and reads it through, each in a process whose heap may hold a
 * quarter of it, and whose resident set must not grow on the way.
 */
export async function gigabyte(folder: string): Promise<string> {
  const lines = [
    `A session of about 1 GB, heap limited to ${heapMiB} MiB:`,
    "",
    "| | events | MB | seconds | peak RSS | first quarter | last quarter | |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
  ];
  for (const adapter of ["file", "sqlite"]) {
    for (const phase of ["write", "read"]) {
      const words = [`--max-old-space-size=${heapMiB}`, child, adapter, phase];
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...words,
        join(folder, adapter),
      ]);
      lines.push(row(`${adapter}, ${phase}`, JSON.parse(stdout) as GigabyteFigures));
    }
  }
  return lines.join("\n");
}

function row(what: string, figures: GigabyteFigures): string {
  const { events, megabytes, seconds, peakMiB, firstQuarterMiB, lastQuarterMiB } = figures;
  const flat = lastQuarterMiB <= firstQuarterMiB * 1.2;
  const sizes = [peakMiB, firstQuarterMiB, lastQuarterMiB].map((size) => `${size.toFixed(0)} MiB`);
  const cells = [
    what,
    events.toLocaleString("en-US"),
    megabytes.toFixed(0),
    seconds.toFixed(1),
    ...sizes,
    flat ? "flat" : "**grows**",
  ];
  return `| ${cells.join(" | ")} |`;
}
