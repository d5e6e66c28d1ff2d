import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { FloorName } from "../../bench/floors/open-floor.ts";
import type { Subject } from "../../bench/subject.ts";
import { createBuiltInFixture } from "../certify/built-in-fixtures.ts";
import { findFixture, type BuiltInName, type PipelineName } from "../certify/fixture-source.ts";
import { loadFixture } from "../certify/load-fixture.ts";
import type { StorePlace } from "../certify/open-place.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { pathOf } from "../location.ts";
import { escapeText } from "../output/escape.ts";

/** What the stores of a run have in common. */
export interface SubjectOptions {
  readonly pipelines: readonly PipelineName[];
  /** None: as the adapter has it. */
  readonly durabilities: ReadonlyArray<NonNullable<StorePlace["durability"]>>;
  readonly floor?: FloorName | undefined;
}

/** What is measured when no store is named. */
export const everyBuiltIn: readonly string[] = ["memory:", "file:", "sqlite:"];

/**
 * The subjects that a command line names: each store with each pipeline and durability. The store at the
 * place of a spec is not touched: new ones are made beside it, on the same disk, and removed.
 *
 * @throws CliError for a name that is no store, and a folder that is not there
 */
export async function findSubjects(
  targets: readonly string[],
  options: SubjectOptions,
): Promise<readonly Subject[]> {
  const subjects: Subject[] = [];
  for (const target of targets) subjects.push(...(await subjectsOf(target, options)));
  return subjects;
}

async function subjectsOf(target: string, options: SubjectOptions): Promise<readonly Subject[]> {
  const builtIn = parseSpec(target);
  if (builtIn !== null) return builtInSubjects(builtIn, options);
  const createFixture = await loadFixture(await findFixture({ fixture: target })).catch(
    (error: unknown) => {
      if (error instanceof CliError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new CliError(exitCodes.usage, `Cannot use "${escapeText(target)}": ${reason}`);
    },
  );
  const fixture = await createFixture();
  const { name } = fixture;
  await fixture.dispose();
  return [{ name, createFixture, floor: options.floor }];
}

interface BuiltIn {
  readonly name: BuiltInName;
  /** Where a spec points to; empty for the system's temporary folder. */
  readonly location: string;
}

function parseSpec(target: string): BuiltIn | null {
  if (target === "postgres") return { name: target, location: "" };
  const [, name, location] = /^(memory|file|sqlite)(?::(.*))?$/s.exec(target) ?? [];
  // file:///… is the URL of a module where it ends like one.
  if (name === undefined || /^file:.*\.[cm]?js$/.test(target)) return null;
  return { name: name as BuiltInName, location: location ?? "" };
}

async function builtInSubjects(
  { name, location }: BuiltIn,
  { pipelines, durabilities, floor }: SubjectOptions,
): Promise<readonly Subject[]> {
  const prefix = location === "" ? undefined : `${resolve(pathOf(location))}.bench-`;
  if (prefix !== undefined) await requireFolder(dirname(prefix));
  // Durability says nothing about memory, and is a server's own business.
  const isFixed = name === "memory" || name === "postgres";
  const kinds = isFixed || durabilities.length === 0 ? [undefined] : durabilities;
  return kinds.flatMap((durability) => {
    const nameOf = (pipeline: PipelineName): string =>
      [name, durability, pipeline === "plain" ? undefined : pipeline]
        .filter((word) => word !== undefined)
        .join(", ");
    return pipelines.map((pipeline): Subject => {
      const source = { kind: "built-in", name, pipeline } as const;
      return {
        name: nameOf(pipeline),
        createFixture: createBuiltInFixture(source, { prefix, durability }),
        plain: pipeline !== "plain" && pipelines.includes("plain") ? nameOf("plain") : undefined,
        floor: floor ?? name,
      };
    });
  });
}

async function requireFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  const message = `Cannot measure in "${escapeText(folder)}": there is no such folder`;
  throw new CliError(exitCodes.usage, message);
}
