import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { shellWord } from "../../conformance/reports/replay-command.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";

/** Stores of the kit that can be certified by name. */
const builtInNames = ["memory", "file", "sqlite", "postgres"] as const;

export type BuiltInName = (typeof builtInNames)[number];

/** What a built-in store does with its records. */
export const pipelineNames = ["plain", "compressed", "sealed"] as const;

export type PipelineName = (typeof pipelineNames)[number];

/** Where a fixture comes from; plain data, so that another process can load it. */
export type FixtureSource =
  | { readonly kind: "built-in"; readonly name: BuiltInName; readonly pipeline: PipelineName }
  | { readonly kind: "module"; readonly url: string };

/** How a command line names a fixture. */
export interface FixtureName {
  readonly fixture: string;
  /** For built-in stores only. */
  readonly pipeline?: PipelineName | undefined;
}

/**
 * The fixture that a command line names: a store of the kit, or the path or file URL of a module.
 *
 * @throws CliError when there is no such thing
 */
export async function findFixture({ fixture, pipeline }: FixtureName): Promise<FixtureSource> {
  const name = builtInNames.find((known) => known === fixture);
  if (name !== undefined) return { kind: "built-in", name, pipeline: pipeline ?? "plain" };
  if (pipeline !== undefined) {
    throw usage(`--pipeline is for ${builtInNames.join(", ")}; a module opens its store itself`);
  }
  const path = pathOf(fixture);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) {
    const wanted = `the path of a module, or ${builtInNames.join(", ")}`;
    throw usage(`No fixture at "${escapeText(fixture)}"; wanted ${wanted}`);
  }
  return { kind: "module", url: pathToFileURL(path).href };
}

/** The words that name a fixture on a command line. */
export function fixtureWords({ fixture, pipeline }: FixtureName): string {
  const words = [shellWord(fixture)];
  if (pipeline !== undefined) words.push("--pipeline", pipeline);
  return words.join(" ");
}

function pathOf(fixture: string): string {
  if (!fixture.startsWith("file:")) return resolve(fixture);
  try {
    return fileURLToPath(fixture);
  } catch {
    throw usage(`No fixture at "${escapeText(fixture)}": not the URL of a file on this machine`);
  }
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
