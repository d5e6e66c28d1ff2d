import type { Command } from "commander";
import { gateMarkdown, gateText, gateVerdict } from "../../bench/gate/gate-text.ts";
import type { GateReport } from "../../bench/gate/gate-report.ts";
import { runGate } from "../../bench/gate/run-gate.ts";
import { gatedKinds } from "../../bench/gate/work-kinds.ts";
import type { WorkKind } from "../../bench/workload.ts";
import { addMeasureOptions, parseKinds, type MeasureOptions } from "../bench/gate-options.ts";
import { measureSides } from "../bench/measure-sides.ts";
import { withSides, type Sides } from "../bench/with-sides.ts";
import { requireFolders, writeOutput } from "../certify/output-files.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { redact } from "../redact.ts";
import { globalsOf } from "../with-store.ts";

interface GateOptions extends MeasureOptions {
  readonly baseline: string;
  readonly against: string;
  readonly workload?: readonly WorkKind[] | undefined;
  readonly md?: string | undefined;
  readonly report?: string | undefined;
}

const help = `
A side is a packed package of the kit (.tgz), the folder of an installed one, or a JavaScript module with
a conformance fixture (createFixture), for stores of your own. Each runs in a process of its own and the
two take turns, so that whatever the machine does hits both. --store says which store of a package is
measured and where: sqlite:<folder> (default: the folder for temporary files), file:<folder>, memory:.
Stores are made in a new folder there, which is removed; CHECKPOINTER_STORE is not looked at.

Red is what is slower by more than the threshold with 95 % confidence, corrected for the number of figures,
and is so again in a second, fresh run. docs/bench-gate.md says how often that is wrong.

Exit codes of this command:
  0    nothing is proved slower
  1    something is
  2    a side is unusable, or a wrong command line
  130  interrupted (143 by SIGTERM)`;

export function addBenchGateCommand(bench: Command, context: Context): void {
  const command = bench
    .command("gate")
    .description("measure two versions against each other and say whether the new one is slower")
    .requiredOption("--baseline <side>", "the old version")
    .requiredOption("--against <side>", "the new version")
    .option("--workload <ids>", "such as W01,W08 (default: the gated ones)", parseKinds);
  addMeasureOptions(command, "15s")
    .option("--report <file>", "write the report as JSON")
    .option("--md <file>", "write the report as Markdown")
    .addHelpText("after", help)
    .action(async (options: GateOptions, self: Command) => {
      const { json = false, store } = globalsOf(self);
      const { baseline, against, md, report: asJson } = options;
      await requireFolders([md, asJson]);
      const report = await withSides({ baseline, against }, store, context.io, (sides) => {
        return measure(context, options, sides);
      });
      await print(context, report, json);
      if (asJson !== undefined) await writeOutput(asJson, `${JSON.stringify(report, null, 2)}\n`);
      if (md !== undefined) await writeOutput(md, gateMarkdown(report));
      requireMeasured(report);
      if (report.isRed) throw new CliError(exitCodes.failed, gateVerdict(report));
    });
}

function measure(
  context: Context,
  options: GateOptions,
  { sources, store, folder }: Sides,
): Promise<GateReport> {
  const { baseline, against, workload: kinds = gatedKinds } = options;
  const [base, next] = sources;
  if (base === undefined || next === undefined) throw new TypeError("A gate takes two sides");
  const names = {
    baseline: redact(baseline),
    against: redact(against),
    store: store?.adapter ?? null,
  };
  return measureSides(context, options, folder, (settings) =>
    runGate({
      ...settings,
      base: { name: "baseline", source: base },
      next: { name: "against", source: next },
      kinds,
      names,
    }),
  );
}

async function print({ out }: Context, report: GateReport, json: boolean): Promise<void> {
  if (json) return out.line(jsonLine(report));
  for (const line of gateText(report).trimEnd().split("\n")) await out.line(escapeText(line));
}

/** A gate that measured nothing has let nothing through. */
function requireMeasured({ figures, skipped }: GateReport): void {
  if (figures.length > 0) return;
  const [first] = skipped;
  const reason = first === undefined ? "" : `: ${first.id}: ${first.reason}`;
  throw new CliError(exitCodes.usage, `Nothing could be measured${reason}`);
}
