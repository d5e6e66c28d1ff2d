// A child process that runs a few calls on a store with faults in its port, and writes down the answers.

import { isCheckpointError } from "../../src/index.ts";
import { createFaultyPort, type Fault } from "./fault-plan.ts";
import { openLedger } from "./ledger.ts";
import { openPlace, runStep, type Place, type Step } from "./script.ts";

/** What the child is told. */
export interface Script {
  readonly place: Place;
  readonly ledger: string;
  readonly steps: readonly Step[];
  /** Index of the first step during which calls count. Default 0. */
  readonly armAt?: number;
  readonly faults: readonly Fault[];
}

/** What the child writes down. */
export type ScriptNote =
  | { readonly step: number; readonly result: number | null }
  | { readonly step: number; readonly error: string }
  | { readonly stopping: string }
  | { readonly done: readonly string[] };

const script = JSON.parse(process.argv[2] ?? "") as Script;
const ledger = openLedger<ScriptNote>(script.ledger);
const faulty = createFaultyPort(script.faults, (name) => ledger.note({ stopping: name }));
const checkpointer = await openPlace(script.place, faulty.port);

for (const [index, step] of script.steps.entries()) {
  if (index === (script.armAt ?? 0)) faulty.arm();
  try {
    ledger.note({ step: index, result: await runStep(checkpointer, step) });
  } catch (error) {
    const code = isCheckpointError(error) ? error.code : `UNTYPED ${String(error)}`;
    ledger.note({ step: index, error: code });
  }
}
faulty.disarm();
ledger.note({ done: faulty.counted });
await checkpointer.close();
