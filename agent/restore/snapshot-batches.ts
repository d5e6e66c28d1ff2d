import type { FileSnapshotEvent } from "../../src/index.ts";
import { agentLimits } from "../agent-limits.ts";

/** Snapshots in batches of which one append holds each; a snapshot is made when it is its turn. */
export async function* snapshotBatches(
  snapshots: AsyncIterable<FileSnapshotEvent>,
): AsyncGenerator<readonly FileSnapshotEvent[], void> {
  let batch: FileSnapshotEvent[] = [];
  let characters = 0;
  for await (const snapshot of snapshots) {
    batch.push(snapshot);
    characters += JSON.stringify(snapshot.before).length;
    if (characters < agentLimits.snapshotBatchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
