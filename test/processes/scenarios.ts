import { appendFileSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Checkpointer } from "../../src/index.ts";
import { eventOf, type Step, type TestEvent } from "./script.ts";

/** One change whose every moment is looked at. */
export interface Scenario {
  readonly name: string;
  readonly step: Step;
  /** Called with the directory of a store that holds what `prepareStore` puts there. */
  readonly damage?: (directory: string) => void;
}

/** Two sessions: one that scenarios change, and a neighbour that they must leave alone. */
export async function prepareStore(checkpointer: Checkpointer<TestEvent>): Promise<void> {
  await checkpointer.append("neighbour", [eventOf("n1"), eventOf("n2")]);
  await checkpointer.append("s", [eventOf("a1"), eventOf("a2")]);
  await checkpointer.append("s", [eventOf("b1"), eventOf("b2"), eventOf("b3")]);
  await checkpointer.append("s", [eventOf("c1")]);
}

/** The changes that every adapter has. */
export const scenarios: readonly Scenario[] = [
  { name: "append", step: { do: "append", session: "s", ids: ["d1"] } },
  {
    name: "append a batch with a key",
    step: { do: "append", session: "s", ids: ["d1", "d2", "d3", "d4", "d5"], key: "key" },
  },
  {
    name: "append to a new session",
    step: { do: "append", session: "new", ids: ["d1", "d2"], expected: 0 },
  },
  { name: "truncate between batches", step: { do: "truncate", session: "s", toSeq: 2 } },
  { name: "truncate inside a batch", step: { do: "truncate", session: "s", toSeq: 4 } },
  { name: "truncate to 0", step: { do: "truncate", session: "s", toSeq: 0 } },
  { name: "delete", step: { do: "delete", session: "s" } },
  { name: "fork", step: { do: "fork", source: "s", atSeq: 4, session: "copy" } },
];

/** Changes of a log that ends in what a crash left. */
export const tornScenarios: readonly Scenario[] = [
  { name: "repair", step: { do: "repair", session: "s" }, damage: tear },
  {
    name: "append behind a torn tail",
    step: { do: "append", session: "s", ids: ["d1"] },
    damage: tear,
  },
  {
    name: "append behind a missing newline",
    step: { do: "append", session: "s", ids: ["d1"] },
    damage: dropNewline,
  },
];

function logOf(directory: string): string {
  const name = readdirSync(directory).find((entry) => entry.startsWith("s."));
  return join(directory, name ?? "");
}

/** Half a record, as a crash leaves it. */
function tear(directory: string): void {
  appendFileSync(logOf(directory), '{"seq":7,"ts":"2026-01-01T00:00:00.000Z","left":2,"eve');
}

function dropNewline(directory: string): void {
  const path = logOf(directory);
  truncateSync(path, statSync(path).size - 1);
}
