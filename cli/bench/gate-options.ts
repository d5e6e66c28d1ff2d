import { InvalidArgumentError, Option, type Command } from "commander";
import { workKinds } from "../../bench/gate/work-kinds.ts";
import type { WorkKind } from "../../bench/workload.ts";
import { defaultThreshold } from "../../bench/compare/verdict.ts";
import { pinnedSeed } from "../../conformance/budget.ts";
import { strictNumber } from "../strict-number.ts";
import { parseDuration } from "./parse-duration.ts";
import { parseShare } from "./parse-share.ts";

/** What `ckpt bench gate` and `ckpt bench calibrate` both take. */
export interface MeasureOptions {
  readonly pairs: number;
  /** Milliseconds. */
  readonly block: number;
  readonly duration: number;
  /** A share. */
  readonly threshold: number;
  readonly seed: number;
  /** Seconds. */
  readonly patience: number;
}

const largestSeed = 0x7fffffff;

/** Fewer pairs than these can prove nothing, whatever they show. */
const fewestPairs = 8;

export function addMeasureOptions(command: Command, duration: string): Command {
  const bounds = { min: fewestPairs, max: 1_000 };
  return command
    .addOption(durationOption("--duration <time>", "how long a run of one figure takes", duration))
    .addOption(durationOption("--block <time>", "how long one side's turn takes", "20ms"))
    .option("--pairs <n>", "the fewest pairs of turns in a run", strictNumber(bounds), 30)
    .addOption(shareOption("--threshold <share>", "slower by more is red", defaultThreshold))
    .option("--seed <n>", "of order and events", strictNumber({ max: largestSeed }), pinnedSeed)
    .option(
      "--patience <seconds>",
      "after how long a side counts as hung",
      strictNumber({ min: 1, max: 86_400 }),
      120,
    );
}

/** An option that takes a share, such as 10%. */
export function shareOption(flags: string, description: string, byDefault: number): Option {
  return new Option(flags, description)
    .argParser(parseShare)
    .default(byDefault, `${byDefault * 100}%`);
}

function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description)
    .argParser(parseDuration)
    .default(parseDuration(byDefault), byDefault);
}

/**
 * Kinds of work by their ids; a workload that is no id, such as `W02`, stands for all of its kinds.
 *
 * @throws InvalidArgumentError for one that is not known
 */
export function parseKinds(text: string): readonly WorkKind[] {
  const chosen = text.split(",").map((name) => kindsCalled(name.trim().toUpperCase()));
  return workKinds.filter((kind) => chosen.some((kinds) => kinds.includes(kind)));
}

function kindsCalled(name: string): readonly WorkKind[] {
  const byId = workKinds.filter(({ id }) => id.toUpperCase() === name);
  const found = byId.length > 0 ? byId : workKinds.filter(({ workload }) => workload === name);
  if (found.length > 0) return found;
  const known = workKinds.map(({ id }) => id).join(", ");
  throw new InvalidArgumentError(`Wanted some of ${known}.`);
}
