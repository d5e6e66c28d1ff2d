import type { FileSnapshotEvent } from "../../src/index.ts";
import { agentLimits } from "../agent-limits.ts";
import type { SessionLog } from "../session-log.ts";
import { imageOf } from "../workspace/file-image.ts";
import { readFileState } from "../workspace/file-state.ts";
import type { FileStep } from "./plan-restore.ts";
import { snapshotBatches } from "./snapshot-batches.ts";

/**
 * Makes the files' present state durable in the session: for the branch, and so that what a forced restore
 * overwrites is not lost.
 *
 * @returns the seq of the first snapshot, or of the event that follows when there is none
 */
export async function recordFiles(log: SessionLog, steps: readonly FileStep[]): Promise<number> {
  const first = log.state.head + 1;
  for await (const batch of snapshotBatches(presentFiles(log, steps))) await log.append(batch);
  return first;
}

async function* presentFiles(
  { state }: SessionLog,
  steps: readonly FileStep[],
): AsyncGenerator<FileSnapshotEvent, void> {
  const recorded = new Set<string>();
  const isStored = (hash: string): boolean => state.storedBytes.has(hash) || recorded.has(hash);
  for (const { place, target } of steps) {
    const current = await readFileState(place.absolute, agentLimits.maxSnapshotBytes);
    const before = imageOf(current, isStored);
    if (current?.bytes !== null && current !== null) recorded.add(current.hash);
    const afterHash = target?.hash ?? null;
    yield { type: "file_snapshot", path: place.name, before, afterHash };
  }
}
