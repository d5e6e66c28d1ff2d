import type { Command } from "commander";
import type { Report } from "../../conformance/report.ts";
import { reportDocument } from "../../conformance/reports/report-json.ts";
import { certifyExitCodes } from "../certify/certify-exit-codes.ts";
import { readFailureFile, type Replayable } from "../certify/failure-file.ts";
import { findFixture } from "../certify/fixture-source.ts";
import { requireProperty } from "../certify/find-property.ts";
import type { Order } from "../certify/messages.ts";
import { runSuite } from "../certify/run-suite.ts";
import { addPatienceOption, type PatienceOption } from "../certify/suite-options.ts";
import { showSuite } from "../certify/suite-progress.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { globalsOf } from "../with-store.ts";

interface ReplayOptions extends PatienceOption {
  readonly fixture?: string | undefined;
}

const help = `
Runs the property again with the same seed, and with the same counterexample where generated values
found one. The fixture is looked for where certify found it, from the present working directory.

Exit codes of this command:
  0    the property holds now
  1    it still fails
  2    no usable file or fixture, or the property does not apply to the store any more
  4    it hangs
  130  interrupted (143 by SIGTERM)`;

export function addReplayCommand(program: Command, context: Context): void {
  const command = program
    .command("replay")
    .argument("<failure>", "a file that certify wrote")
    .description("run one failed property again, from the same seed and counterexample");
  addPatienceOption(command)
    .option("--fixture <module>", "run it on this fixture instead")
    .addHelpText("after", help)
    .action(async (path: string, options: ReplayOptions, self: Command) => {
      const { json = false } = globalsOf(self);
      const failure = await readFailureFile(path);
      const order = await orderOf(failure, options);
      const progress = showSuite(context);
      const { report } = await runSuite(order, context.io, progress).finally(progress.end);
      if (json) await context.out.line(jsonLine(reportDocument(report)));
      for (const line of changesSince(failure, report)) {
        await context.errors.note(`ckpt: ${line}`);
      }
      if (!json) for (const line of linesOf(report)) await context.out.line(escapeText(line));
      requireHeld(report);
    });
}

async function orderOf(failure: Replayable, options: ReplayOptions): Promise<Order> {
  const { property, seed, effort, path, replayPath } = failure;
  const { id } = requireProperty(property);
  const pipeline = options.fixture === undefined ? (failure.pipeline ?? undefined) : undefined;
  return {
    source: await findFixture({ fixture: options.fixture ?? failure.fixture, pipeline }),
    only: [id],
    seed,
    effort,
    patience: options.patience * 1_000,
    replay: path === null ? undefined : { path, replayPath: replayPath ?? undefined },
  };
}

/** What is different from the run that failed, and may explain why it does not fail now. */
function changesSince(failure: Replayable, report: Report): readonly string[] {
  const changes: string[] = [];
  if (failure.suite !== report.suite) {
    changes.push(`it failed with suite ${failure.suite}, and this is ${report.suite}`);
  }
  if (failure.manifestDigest !== report.manifestDigest) {
    changes.push("the store's manifest is not what it was");
  }
  return changes.map(escapeText);
}

function linesOf({ results }: Report): readonly string[] {
  return results.flatMap(({ id, outcome, message }) =>
    outcome === "pass" ? [`${id} holds now`] : message.trimEnd().split("\n"),
  );
}

/** @throws CliError unless the property holds now */
function requireHeld({ results }: Report): void {
  const [result] = results;
  const { outcome = "error", message = "" } = result ?? {};
  if (outcome === "pass") return;
  const [first = ""] = message.split("\n");
  const id = result?.id ?? "";
  if (outcome === "skip") throw new CliError(exitCodes.usage, `${id} does not apply: ${first}`);
  if (outcome === "hung") throw new CliError(certifyExitCodes.hung, `${id} hangs: ${first}`);
  const code = outcome === "error" ? certifyExitCodes.fixture : certifyExitCodes.failed;
  throw new CliError(code, `${id} still fails`);
}
