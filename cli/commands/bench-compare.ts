import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { BenchReport } from "../../bench/bench-report.ts";
import { compareReports } from "../../bench/compare/compare-reports.ts";
import {
  comparisonMarkdown,
  comparisonText,
  comparisonVerdict,
} from "../../bench/compare/comparison-report.ts";
import { defaultThreshold } from "../../bench/compare/verdict.ts";
import { parseBenchReport } from "../../bench/reports/bench-json.ts";
import { shareOption } from "../bench/gate-options.ts";
import { requireFolders, writeOutput } from "../certify/output-files.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";
import { globalsOf } from "../with-store.ts";

interface CompareOptions {
  readonly md?: string | undefined;
  readonly threshold: number;
}

const help = `
Times are compared as multiples of the bare operation that ran beside them, and counts exactly. What has
no such floor is compared by time, and is never red. Two runs apart tell less than ckpt bench gate, which
lets both sides take turns on one machine. docs/bench-gate.md explains both.

Exit codes of this command:
  0    nothing slower than its floor by more than the threshold, no count higher
  1    something is
  2    no usable report, or a wrong command line`;

export function addBenchCompareCommand(bench: Command, context: Context): void {
  bench
    .command("compare")
    .argument("<base>", "a report of ckpt bench, as JSON")
    .argument("<new>", "another one")
    .description("compare two reports, times by their floors and counts exactly")
    .addOption(shareOption("--threshold <share>", "smaller changes do not count", defaultThreshold))
    .option("--md <file>", "write the comparison as Markdown")
    .addHelpText("after", help)
    .action(async (base: string, next: string, options: CompareOptions, self: Command) => {
      const { json = false } = globalsOf(self);
      const { md, threshold } = options;
      await requireFolders([md]);
      const reports = [await readReport(base), await readReport(next)] as const;
      const comparison = compareReports(...reports, { threshold });
      if (json) await context.out.line(jsonLine(comparison));
      else {
        const lines = comparisonText(comparison).trimEnd().split("\n");
        for (const line of lines) await context.out.line(escapeText(line));
      }
      if (md !== undefined) await writeOutput(md, comparisonMarkdown(comparison));
      if (comparison.isRed) throw new CliError(exitCodes.failed, comparisonVerdict(comparison));
    });
}

async function readReport(path: string): Promise<BenchReport> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new CliError(exitCodes.usage, `Cannot read ${escapeText(path)}: ${systemMessage(error)}`);
  }
  try {
    return parseBenchReport(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(exitCodes.usage, `${escapeText(path)}: ${error.message}`);
  }
}
