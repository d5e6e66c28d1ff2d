import { InvalidArgumentError, Option, type Command } from "commander";
import { bench, countersName, type BenchOptions } from "../../bench/bench.ts";
import { workloadTitles, type BenchReport, type EffortName } from "../../bench/bench-report.ts";
import { floorNames, type FloorName } from "../../bench/floors/open-floor.ts";
import { benchHtml } from "../../bench/reports/bench-html.ts";
import { benchJson } from "../../bench/reports/bench-json.ts";
import { benchMarkdown } from "../../bench/reports/bench-markdown.ts";
import { benchText } from "../../bench/reports/bench-text.ts";
import { benchTrend } from "../../bench/reports/bench-trend.ts";
import { everyBuiltIn, findSubjects } from "../bench/bench-subjects.ts";
import { parseDuration } from "../bench/parse-duration.ts";
import { readTranscript } from "../bench/read-transcript.ts";
import { pipelineNames, type PipelineName } from "../certify/fixture-source.ts";
import { requireFolders, writeOutput } from "../certify/output-files.ts";
import type { StorePlace } from "../certify/open-place.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { createProgress } from "../progress.ts";
import { oneLine } from "../report-error.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf } from "../with-store.ts";
import { addBenchCalibrateCommand } from "./bench-calibrate.ts";
import { addBenchCompareCommand } from "./bench-compare.ts";
import { addBenchGateCommand } from "./bench-gate.ts";

type Durability = NonNullable<StorePlace["durability"]>;

interface BenchCommandOptions {
  readonly pipeline?: readonly PipelineName[] | undefined;
  readonly durability?: readonly Durability[] | undefined;
  readonly floor?: FloorName | undefined;
  readonly workload?: readonly string[] | undefined;
  readonly quick?: boolean | undefined;
  readonly duration?: number | undefined;
  readonly seed: number;
  readonly input?: string | undefined;
  readonly report?: string | undefined;
  readonly md?: string | undefined;
  readonly html?: string | undefined;
  readonly trend?: string | undefined;
}

const workloadIds = [...Object.keys(workloadTitles), countersName];

const help = `
A store is memory:, file:<directory>, sqlite:<file>, or the path of a fixture module as for ckpt
certify. The place that a spec names says where to measure: new stores are made beside it and removed;
what is there is not touched. Without a store, the kit's own are measured in the system's temporary
folder. Every time is also told as a ratio to the bare operation, which took turns with it: ratios
travel between machines, times do not.

Workloads:
${Object.entries(workloadTitles)
  .map(([id, title]) => `  ${id}       ${title}`)
  .join("\n")}
  ${countersName}  exact counts of one append: syncs, writes, bytes, statements, round trips

Exit codes of this command:
  0    measured
  2    wrong command line, or a store that cannot be measured
  130  interrupted (143 by SIGTERM)`;

/** Adds `ckpt bench` and what is done with its reports. */
export function addBenchCommand(program: Command, context: Context): void {
  const command = program
    .command("bench")
    .description("measure stores, and compare what was measured");
  command
    // A command of its own, since commander gives a parent's options precedence over its children's.
    .command("run", { isDefault: true })
    .argument("[stores...]", "what to measure (default: memory: file: sqlite:)")
    .description("measure stores, beside the bare operations that they are built on")
    .addOption(listOption("--pipeline <names>", "how the kit's stores keep records", pipelineNames))
    .addOption(
      listOption("--durability <names>", "what the kit's stores survive", ["power", "process"]),
    )
    .addOption(new Option("--floor <name>", "what to compare with").choices(floorNames))
    .addOption(listOption("--workload <ids>", "measure these alone", workloadIds))
    .option("--quick", "less of everything: under 90 seconds for the kit's stores")
    .option("--duration <time>", "for each workload on each store, such as 20s", parseDuration)
    .option("--seed <n>", "of everything generated", strictNumber({ max: 0x7fffffff }), 1)
    .option("--input <file>", "append the records of this transcript (JSONL or JSON)")
    .option("--report <file>", "write everything that was measured as JSON")
    .option("--md <file>", "write tables as Markdown")
    .option("--html <file>", "write a page with plots")
    .option("--trend <file>", "write JSON for github-action-benchmark")
    .addHelpText("after", help)
    .action(async (stores: string[], options: BenchCommandOptions, self: Command) => {
      const { json = false, store } = globalsOf(self);
      const targets = store === undefined ? stores : [store, ...stores];
      const { report: asJson, md, html, trend } = options;
      await requireFolders([asJson, md, html, trend]);
      const report = await measure(targets, options, context);
      await print(context, report, json);
      if (asJson !== undefined) await writeOutput(asJson, benchJson(report));
      if (md !== undefined) await writeOutput(md, benchMarkdown(report));
      if (html !== undefined) await writeOutput(html, benchHtml(report));
      if (trend !== undefined) await writeOutput(trend, benchTrend(report));
    });
  addBenchCompareCommand(command, context);
  addBenchGateCommand(command, context);
  addBenchCalibrateCommand(command, context);
}

async function measure(
  targets: readonly string[],
  options: BenchCommandOptions,
  { io }: Context,
): Promise<BenchReport> {
  const { pipeline = ["plain"], durability = [], floor, workload, duration, seed } = options;
  const effort: EffortName = options.quick === true ? "quick" : "full";
  const subjects = await findSubjects(targets.length === 0 ? everyBuiltIn : targets, {
    pipelines: pipeline,
    durabilities: durability,
    floor,
  });
  const input = options.input === undefined ? undefined : await readTranscript(options.input);
  const line = createProgress(io);
  const isTerminal = io.stderr.isTTY === true;
  const onProgress: BenchOptions["onProgress"] = ({ step, of, title }) => {
    const text = `${step}/${of}  ${title}`;
    if (isTerminal) line.show(text);
    else io.stderr.write(`${escapeText(text)}\n`);
  };
  try {
    const { signal } = io;
    const workloads = workload;
    return await bench({ subjects, workloads, effort, duration, seed, input, signal, onProgress });
  } catch (error) {
    if (error instanceof CliError || error instanceof Interruption) throw error;
    throw new CliError(exitCodes.usage, `Cannot measure: ${oneLine(error)}`);
  } finally {
    line.clear();
  }
}

async function print({ out }: Context, report: BenchReport, json: boolean): Promise<void> {
  if (json) return out.line(jsonLine(report));
  for (const text of benchText(report).trimEnd().split("\n")) await out.line(escapeText(text));
}

/** An option that takes names with commas between them, and may be repeated. */
function listOption(flags: string, description: string, names: readonly string[]): Option {
  const parse = (text: string, before: readonly string[] = []): readonly string[] => {
    const chosen = text.split(",");
    const unknown = chosen.find((name) => !names.includes(name));
    if (unknown === undefined) return [...new Set([...before, ...chosen])];
    throw new InvalidArgumentError(`Wanted ${names.join(", ")}; met "${escapeText(unknown)}".`);
  };
  return new Option(flags, description).argParser(parse);
}
