import { copyFile, link, mkdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { AgentError, type RestoreProblem } from "../agent-error.ts";
import { readFileState } from "../workspace/file-state.ts";
import { stageFile, syncDirectory, temporaryBeside } from "../workspace/replace-file.ts";
import { unlessMissing } from "../workspace/unless-missing.ts";
import { requireWritable, workspacePath } from "../workspace/workspace-path.ts";
import type { FileStep } from "./plan-restore.ts";

/** Files that were swapped, and the way back. */
export interface Swap {
  /** Steps that failed; empty when all files are new. */
  readonly problems: RestoreProblem[];
  /** Puts everything back as it was. Adds a problem for what could not be. */
  undo(): Promise<void>;
}

/**
 * Puts every file into its past state, each in one step. Goes on after a failure, so that all of them are named;
 * then the caller calls `undo`.
 *
 * @param bytesOf - the bytes of a step's target
 * @param signal - looked at before each step; an abort is a failure of the whole
 */
export async function swapFiles(
  workdir: string,
  steps: readonly FileStep[],
  bytesOf: (step: FileStep) => Promise<Uint8Array>,
  workId: string,
  signal: AbortSignal | undefined,
): Promise<Swap> {
  const problems: RestoreProblem[] = [];
  const made: string[] = [];
  const swapped: FileStep[] = [];

  async function each(work: (step: FileStep) => Promise<void>): Promise<void> {
    for (const step of steps) {
      if (signal?.aborted === true) return;
      try {
        await work(step);
      } catch (error) {
        problems.push(problemOf(step, "failed", error));
      }
    }
  }

  // Everything that can fail for want of room or rights does so before the first file is replaced.
  await each(async (step) => {
    if (step.target === null) return;
    made.push(...(await makeDirectories(dirname(step.place.absolute))));
    const bytes = await bytesOf(step);
    await stageFile(step.place.absolute, { bytes, mode: step.target.mode }, workId);
  });
  if (problems.length === 0) {
    await each(async (step) => {
      const { absolute } = step.place;
      await requireUnchanged(step);
      if (step.current !== null) await backUp(absolute, temporaryBeside(absolute, workId, "old"));
      // From here on there is something to undo, whatever the next call says.
      swapped.push(step);
      if (step.target === null) await rm(absolute);
      else await rename(temporaryBeside(absolute, workId, "new"), absolute);
    });
  }
  await syncDirectories(workdir, steps, problems);

  return {
    problems,
    async undo() {
      for (const step of swapped.reverse()) {
        const { absolute } = step.place;
        try {
          if (step.current === null) await rm(absolute, { force: true });
          else await rename(temporaryBeside(absolute, workId, "old"), absolute);
        } catch (error) {
          problems.push(problemOf(step, "left", error));
        }
      }
      const names = steps.map(({ place }) => place.name);
      // What is left beside files, the next resume removes.
      await removeTemporaries(workdir, names, workId).catch(() => undefined);
      for (const path of made.reverse()) await rmdir(path).catch(() => undefined);
      await syncDirectories(workdir, steps, []);
    },
  };
}

/** Removes temporary files beside the files with these names; a name that leads elsewhere is left alone. */
export async function removeTemporaries(
  workdir: string,
  names: Iterable<string>,
  workId: string,
): Promise<void> {
  for (const name of names) {
    try {
      const place = workspacePath(workdir, name);
      await requireWritable(workdir, place);
      for (const kind of ["new", "old"] as const) {
        await rm(temporaryBeside(place.absolute, workId, kind), { force: true });
      }
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
    }
  }
}

/** A second name for the file, so that it is never missing from its place; a copy where there are no links. */
async function backUp(path: string, backup: string): Promise<void> {
  await rm(backup, { force: true });
  try {
    await link(path, backup);
  } catch {
    await copyFile(path, backup);
  }
}

/** @returns the directories that were missing, outermost first */
async function makeDirectories(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; (await unlessMissing(stat(at))) === null; at = dirname(at))
    missing.unshift(at);
  await mkdir(path, { recursive: true });
  return missing;
}

async function syncDirectories(
  workdir: string,
  steps: readonly FileStep[],
  problems: RestoreProblem[],
): Promise<void> {
  for (const path of new Set(steps.map(({ place }) => dirname(place.absolute)))) {
    try {
      await syncDirectory(path);
    } catch (error) {
      const name = relative(workdir, path);
      problems.push({ path: name, reason: "failed", detail: (error as Error).message });
    }
  }
}

/** What somebody else changed since the plan was made is in no snapshot, and would be lost. */
async function requireUnchanged({ place, current }: FileStep): Promise<void> {
  const now = await readFileState(place.absolute, 0);
  if (now?.hash !== current?.hash) throw new Error("somebody else changed it meanwhile");
}

function problemOf(step: FileStep, reason: "failed" | "left", error: unknown): RestoreProblem {
  return { path: step.place.name, reason, detail: (error as Error).message };
}
