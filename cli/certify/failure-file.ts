import { readFile, writeFile } from "node:fs/promises";
import type { Report } from "../../conformance/report.ts";
import { failuresOf, propertyOf } from "../../conformance/reports/findings.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";
import { pipelineNames, type FixtureName } from "./fixture-source.ts";
import type { SuiteRun } from "./run-suite.ts";

/** A failure that can be run again: plain JSON. docs/conformance.md describes it. */
export interface FailureFile extends Pick<
  Report,
  "suite" | "name" | "manifest" | "manifestDigest" | "environment" | "seed" | "effort"
> {
  readonly format: 1;
  /** As on the command line, relative to the working directory of that run. */
  readonly fixture: string;
  readonly pipeline: FixtureName["pipeline"] | null;
  readonly property: string;
  readonly statement: string;
  readonly outcome: string;
  readonly case: string | null;
  readonly message: string;
  /** Of generated values, in fast-check's terms; null where none were. */
  readonly path: string | null;
  readonly replayPath: string | null;
  /** What was recorded of the run, where something was. */
  readonly history: unknown;
}

/** The first failure of a run; null when there is none. */
export function failureFileOf(
  { report, histories }: SuiteRun,
  { fixture, pipeline }: FixtureName,
): FailureFile | null {
  const [failure] = failuresOf(report);
  if (failure === undefined) return null;
  const { suite, name, manifest, manifestDigest, environment, seed, effort } = report;
  return {
    format: 1,
    suite,
    fixture,
    pipeline: pipeline ?? null,
    property: failure.id,
    statement: propertyOf(failure).statement,
    outcome: failure.outcome,
    case: failure.failedCase,
    message: failure.message,
    seed,
    effort,
    path: failure.replay?.path ?? null,
    replayPath: failure.replay?.replayPath ?? null,
    name,
    manifest,
    manifestDigest,
    environment,
    history: histories.get(failure.id) ?? null,
  };
}

/** Writes a failure where only its owner can read it: a history may hold what was stored. */
export async function writeFailureFile(path: string, failure: FailureFile): Promise<void> {
  await writeFile(path, `${JSON.stringify(failure, null, 2)}\n`, { mode: 0o600 });
}

/** What {@link readFailureFile} needs of a failure to run it again. */
export type Replayable = Pick<
  FailureFile,
  | "fixture"
  | "pipeline"
  | "property"
  | "seed"
  | "effort"
  | "path"
  | "replayPath"
  | "manifestDigest"
  | "suite"
>;

/** @throws CliError in one line when there is none, or this version cannot run it */
export async function readFailureFile(path: string): Promise<Replayable> {
  const value = parse(path, await read(path)) as Partial<FailureFile> | null;
  const { format } = value ?? {};
  if (typeof format === "number" && format > 1) {
    throw unusable(path, `format ${format} was written by a newer version`);
  }
  const wrong = Object.entries(shape).find(
    ([name, isRight]) => !isRight(value?.[name as keyof typeof shape]),
  );
  if (wrong !== undefined) throw unusable(path, `${wrong[0]} is missing or wrong`);
  return value as FailureFile;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isPositive: Check = (value) => typeof value === "number" && value > 0;

const shape: Readonly<Record<keyof Replayable | "format", Check>> = {
  format: (value) => value === 1,
  suite: isText,
  fixture: isText,
  pipeline: (value) => value === null || pipelineNames.some((name) => name === value),
  property: isText,
  seed: Number.isSafeInteger,
  effort: isPositive,
  path: isTextOrNull,
  replayPath: isTextOrNull,
  manifestDigest: isText,
};

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new CliError(exitCodes.usage, `Cannot read ${escapeText(path)}: ${systemMessage(error)}`);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(path, "it is no JSON");
  }
}

function unusable(path: string, reason: string): CliError {
  return new CliError(exitCodes.usage, `${escapeText(path)} is no failure file: ${reason}`);
}
