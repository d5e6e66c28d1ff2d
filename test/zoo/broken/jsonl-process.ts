// What child processes load to open the same store; see Fixture.processModule.

import { createCheckpointer, type Checkpointer, type EventObject } from "../../../src/index.ts";
import { jsonlStore, type JsonlFaults } from "./jsonl-store.ts";

/** What a fixture hands to its child processes. */
export interface JsonlArgument {
  readonly directory: string;
  readonly faults: JsonlFaults;
}

/** Opens the store that a fixture describes. */
export function open(argument: JsonlArgument): Checkpointer<EventObject> {
  return createCheckpointer<EventObject>(jsonlStore(argument.directory, argument.faults));
}
