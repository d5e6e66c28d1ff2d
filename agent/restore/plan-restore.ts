import { AgentError, type RestoreProblem } from "../agent-error.ts";
import { readFileState, type FileState } from "../workspace/file-state.ts";
import { requireWritable, workspacePath, type WorkspacePath } from "../workspace/workspace-path.ts";
import { isAvailable, type FileHistory, type PastFile } from "./session-history.ts";

/** One file that a restore has to change. */
export interface FileStep {
  readonly place: WorkspacePath;
  /** Null: it was absent. */
  readonly target: PastFile | null;
  /** As it is now; null: absent. */
  readonly current: FileState | null;
}

/** What a restore would do to files. */
export interface FilePlan {
  readonly steps: readonly FileStep[];
  /** Files that are already as they were. */
  readonly unchanged: readonly string[];
  /** What stands in the way; with one of these, nothing may be touched. */
  readonly problems: readonly RestoreProblem[];
}

/**
 * Compares each file with what the session recorded. Only looks.
 *
 * @param force - overwrite files that somebody else changed since
 */
export async function planFiles(
  workdir: string,
  files: ReadonlyMap<string, FileHistory>,
  force: boolean,
): Promise<FilePlan> {
  const steps: FileStep[] = [];
  const unchanged: string[] = [];
  const problems: RestoreProblem[] = [];
  for (const [path, history] of files) {
    const look = await lookAt(workdir, path);
    if ("reason" in look) {
      problems.push(look);
      continue;
    }
    const { current } = look;
    if (isSame(current, history.first)) unchanged.push(path);
    else if (!isAvailable(history.first)) problems.push(unavailable(path));
    else if (!force && !history.lastHashes.includes(current?.hash ?? null)) {
      problems.push(changed(path, current));
    } else steps.push({ place: look.place, target: history.first, current });
  }
  return { steps, unchanged, problems };
}

async function lookAt(
  workdir: string,
  path: string,
): Promise<RestoreProblem | { readonly place: WorkspacePath; readonly current: FileState | null }> {
  try {
    const place = workspacePath(workdir, path);
    await requireWritable(workdir, place);
    return { place, current: await readFileState(place.absolute, 0) };
  } catch (error) {
    if (error instanceof AgentError) return { path, reason: "unsafe", detail: error.message };
    return { path, reason: "failed", detail: (error as Error).message };
  }
}

function isSame(current: FileState | null, past: PastFile | null): boolean {
  if (current === null || past === null) return current === past;
  return current.hash === past.hash && current.mode === past.mode;
}

function unavailable(path: string): RestoreProblem {
  const detail = "its bytes before the change were not kept";
  return { path, reason: "unavailable", detail };
}

function changed(path: string, current: FileState | null): RestoreProblem {
  const detail =
    current === null ? "somebody else removed it since" : "somebody else changed it since";
  return { path, reason: "changed", detail };
}
