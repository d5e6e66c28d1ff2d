import type { FileSnapshotEvent } from "../../src/index.ts";
import { agentLimits } from "../agent-limits.ts";
import type { SessionLog } from "../session-log.ts";
import { imageOf } from "../workspace/file-image.ts";
import { readFileState } from "../workspace/file-state.ts";
import type { FileStep } from "./plan-restore.ts";

/**
 * Makes the files' present state durable in the session: for the branch, and so that what a forced restore
 * overwrites is not lost.
 *
 * @returns the seq of the first snapshot, or of the event that follows when there is none
 */
export async function recordFiles(log: SessionLog, steps: readonly FileStep[]): Promise<number> {
  const first = log.state.head + 1;
  const inBatch = new Set<string>();
  let batch: FileSnapshotEvent[] = [];
  let characters = 0;
  for (const { place, target } of steps) {
    const current = await readFileState(place.absolute, agentLimits.maxSnapshotBytes);
    const isStored = (hash: string): boolean =>
      log.state.storedBytes.has(hash) || inBatch.has(hash);
    const before = imageOf(current, isStored);
    if (current?.bytes !== null && current !== null) inBatch.add(current.hash);
    batch.push({
      type: "file_snapshot",
      path: place.name,
      before,
      afterHash: target?.hash ?? null,
    });
    characters += JSON.stringify(before).length;
    if (characters < agentLimits.snapshotBatchCharacters) continue;
    await log.append(batch);
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) await log.append(batch);
  return first;
}
