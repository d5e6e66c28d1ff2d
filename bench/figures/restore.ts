import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What the child process reports of one step. */
export interface RestoreFigures {
  readonly step: string;
  readonly seconds: number;
  /** Of all threads; unlike the other it hardly depends on what else the machine does. */
  readonly cpuSeconds: number;
  /** Highest resident set of the process. */
  readonly peakMiB: number;
  /** Highest heap in use that a timer saw, garbage included. */
  readonly heapMiB: number;
}

const child = fileURLToPath(new URL("restore-child.js", import.meta.url));

/** Limits of the old space in MiB: where nobody needs the conversation, it has no room either. */
const heapMiB: Readonly<Record<string, number>> = {
  fill: 512,
  resume: 512,
  checkpoints: 128,
  restore: 128,
};

/**
 * Takes a session of 100,000 events back over a change of 1,000 files, and does what belongs to it, each in a process
 * of its own with a limited heap.
 */
export async function restore(folder: string): Promise<string> {
  const lines = [
    "A session of 100,000 events (about 100 MB) that changed 1,000 files of 4 KiB:",
    "",
    "| | heap limit | seconds | CPU seconds | peak RSS | peak heap |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
  ];
  for (const adapter of ["file", "sqlite"]) {
    for (const [step, limit] of Object.entries(heapMiB)) {
      const place = join(folder, `restore-${adapter}`);
      const words = [`--max-old-space-size=${limit}`, child, adapter, step, place];
      const { stdout } = await promisify(execFile)(process.execPath, words);
      if (step === "fill") continue;
      for (const line of stdout.trim().split("\n")) {
        const figures = JSON.parse(line) as RestoreFigures;
        const times = [figures.seconds, figures.cpuSeconds].map((time) => time.toFixed(1));
        const sizes = [figures.peakMiB, figures.heapMiB].map((size) => `${size.toFixed(0)} MiB`);
        const cells = [`${adapter}, ${figures.step}`, `${limit} MiB`, ...times, ...sizes];
        lines.push(`| ${cells.join(" | ")} |`);
      }
    }
  }
  return lines.join("\n");
}
