import { InvalidArgumentError, Option, type Command } from "commander";
import { levels, type Level } from "../../conformance/property.ts";
import { pinnedSeed } from "../../conformance/budget.ts";
import { strictNumber } from "../strict-number.ts";
import { pipelineNames, type PipelineName } from "./fixture-source.ts";
import { requireProperty } from "./find-property.ts";

/** What `ckpt certify` and `ckpt replay` both take. */
export interface PatienceOption {
  /** Seconds. */
  readonly patience: number;
}

/** Options of `ckpt certify` that say what is run. */
export interface SuiteOptions extends PatienceOption {
  readonly pipeline?: PipelineName | undefined;
  readonly level?: Level | undefined;
  readonly property?: readonly string[] | undefined;
  readonly seed: number;
  readonly effort: number;
  readonly path?: string | undefined;
  readonly replayPath?: string | undefined;
}

/** fast-check takes 32 bits of a seed. */
const largestSeed = 0x7fffffff;
const effortBounds = { min: 0.01, max: 1_000 };

export function addPatienceOption(command: Command): Command {
  const parse = strictNumber({ min: 1, max: 86_400 });
  return command.option("--patience <seconds>", "after how long a case counts as hung", parse, 120);
}

export function addSuiteOptions(command: Command): Command {
  const level = new Option(
    "--level <level>",
    "wanted level (default: what the manifest can reach)",
  );
  const pipeline = new Option("--pipeline <name>", "how the kit's own stores keep records");
  return addPatienceOption(command)
    .addOption(level.choices(levels))
    .option("--property <id>", "run this one alone; may be given more than once", addProperty)
    .option(
      "--seed <n>",
      "seed of everything generated",
      strictNumber({ max: largestSeed }),
      pinnedSeed,
    )
    .option("--effort <x>", "multiplies the number of generated runs", effort, 1)
    .addOption(pipeline.choices(pipelineNames))
    .option("--path <path>", "of one --property: the counterexample to look at")
    .option("--replay-path <path>", "the commands of that counterexample");
}

function addProperty(id: string, before: readonly string[] = []): readonly string[] {
  return [...before, requireProperty(id).id];
}

function effort(text: string): number {
  const value = /^\d{1,4}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  const { min, max } = effortBounds;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Wanted a number from ${min} to ${max}.`);
}
