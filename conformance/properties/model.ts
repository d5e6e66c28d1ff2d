import { runAtOnce, runScheduled, runSequentially } from "../model/run-model.ts";
import type { Properties } from "../property.ts";

/** The contract as a whole, against the most obvious way to keep it. */
export const modelProperties: Properties = [
  {
    id: "S1",
    group: "model",
    level: "L1",
    statement: "Any sequence of calls, on any handles, gives what an array per session would give",
    reason: "What is right alone may be wrong after something else",
    cases: [
      { name: "generated calls on one to four handles", run: runSequentially },
      { name: "generated appends that are issued at once on one handle", run: runAtOnce },
    ],
  },
  {
    id: "S2",
    group: "model",
    level: "L2",
    requires: ["paced"],
    statement:
      "Whatever the order in which the steps of several clients come to pass, one log explains it",
    reason: "The interleaving that breaks a store is the one that a test machine never shows",
    cases: [{ name: "generated interleavings of three clients", run: runScheduled }],
  },
];
