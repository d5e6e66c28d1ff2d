// What child processes load to open a plain file store, broken or not.

import type { OpenedHandle } from "../../conformance/index.ts";
import { createCheckpointer, type EventObject } from "../../src/index.ts";
import type { Defects } from "./defects.ts";
import { jsonlStore } from "./jsonl-store.ts";

/** Where a store is, and what is wrong with it; survives JSON. */
export interface BrokenPlace {
  readonly directory: string;
  readonly defects: Defects;
}

/** Opens the store of a fixture. */
export function open(argument: unknown): OpenedHandle {
  const { directory, defects } = argument as BrokenPlace;
  return createCheckpointer<EventObject>(jsonlStore(directory, defects));
}
