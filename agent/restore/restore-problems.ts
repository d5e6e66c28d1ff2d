import { quote } from "../../src/index.ts";
import { RestoreError, type RestoreProblem } from "../agent-error.ts";

/** @throws RestoreError `RESTORE_REFUSED` when there are any; nothing was touched */
export function refuseProblems(problems: readonly RestoreProblem[]): void {
  if (problems.length === 0) return;
  const message = `Nothing was restored, ${listed(problems)}`;
  throw new RestoreError("RESTORE_REFUSED", message, problems);
}

/** @throws RestoreError `RESTORE_FAILED` when there are any; everything was put back */
export function throwProblems(problems: readonly RestoreProblem[], cause?: unknown): void {
  if (problems.length === 0) return;
  const message = `The restore failed, and all files are as they were: ${listed(problems)}`;
  throw new RestoreError("RESTORE_FAILED", message, problems, { cause });
}

/** A restore that failed and could not be taken back either. */
export function stillOpen(problems: readonly RestoreProblem[], cause: unknown): RestoreError {
  const left = problems.filter(({ reason }) => reason === "left");
  const why = left.length > 0 ? left : problems;
  const detail = why.length > 0 ? listed(why) : (cause as Error).message;
  const message = `The restore failed and is still open, the next resume finishes it: ${detail}`;
  return new RestoreError("RESTORE_FAILED", message, problems, { cause });
}

function listed(problems: readonly RestoreProblem[]): string {
  const [first] = problems;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  return first === undefined ? "" : `${quote(first.path)}: ${first.detail}${more}`;
}
