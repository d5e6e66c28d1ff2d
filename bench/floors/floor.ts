import type { EventObject } from "../../src/index.ts";

/** The bare operations that a store is compared with: the same bytes, without what a store is for. */
export interface Floor {
  /** Appends the JSON texts of events to one log, in one step. */
  readonly append: (events: readonly EventObject[]) => void | Promise<void>;
  /** Empties the log. */
  readonly clear: () => void | Promise<void>;
  /** Parses the whole log; how many events there were. */
  readonly read: () => number | Promise<number>;
  /** Parses the last events of the log. */
  readonly readLast: (count: number) => number | Promise<number>;
  /** Makes so many logs, of one event each. */
  readonly fillLogs: (count: number, event: EventObject) => void | Promise<void>;
  /** Looks at all logs, latest change first. */
  readonly list: () => number | Promise<number>;
  readonly close: () => void | Promise<void>;
}

/** What a store can be compared with in a {@link Floor}. */
export type FloorOperation = "append" | "read" | "readLast" | "list";

/** Where a floor works. */
export interface FloorOptions {
  /** A folder of its own, of a floor on disk. */
  readonly folder: string;
  /** Whether every append has to survive a power cut. */
  readonly synced: boolean;
  /** Connection string of a server, for a floor on one. */
  readonly server?: string | undefined;
}

/** JSON texts of events, made once each: a floor moves bytes, whoever makes them. */
export function createTexts(): (event: EventObject) => string {
  const texts = new WeakMap<EventObject, string>();
  return (event) => {
    let text = texts.get(event);
    if (text === undefined) texts.set(event, (text = JSON.stringify(event)));
    return text;
  };
}
