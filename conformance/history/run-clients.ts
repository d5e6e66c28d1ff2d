import * as fc from "fast-check";
import { isCheckpointError } from "../../src/index.ts";
import { collect } from "../collect.ts";
import { Violation, type Check } from "../check.ts";
import type { Budget } from "../budget.ts";
import type { Handle } from "../session-state.ts";
import { checkHistory } from "./check-history.ts";
import { explainViolation } from "./explain-violation.ts";
import type { History } from "./history.ts";
import { recordHistory, type RecordedCheckpointer } from "./record-history.ts";
import type { Rule } from "./verdict.ts";

/** What one client does next; heads are relative, since nobody knows them beforehand. */
type Step =
  | { readonly do: "append"; readonly count: number }
  | { readonly do: "append at head"; readonly count: number; readonly off: number }
  | { readonly do: "read"; readonly back: number }
  | { readonly do: "head" }
  | { readonly do: "truncate"; readonly toSeq: number }
  | { readonly do: "delete" };

const count = fc.integer({ min: 1, max: 3 });

/** Mostly appends that insist on the head, since that is where races are. */
const growing: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("append" as const), count }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append at head" as const),
      count,
      off: fc.constantFrom(0, 0, 0, 0, -1, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("read" as const), back: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.constant({ do: "head" as const }) },
);

const shortening: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: growing },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("truncate" as const), toSeq: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ do: "delete" as const }) },
);

/** How clients are let loose on a store. */
export interface Clients {
  /** One per client, all onto one store. */
  readonly handles: readonly Handle[];
  /** Steps of each client. */
  readonly steps: number;
  /** Whether logs are truncated and deleted too. */
  readonly shortens: boolean;
  readonly budget: Budget;
}

/** Lets clients work on one session at once, and gives what they did and were told. */
export async function runClients({ handles, steps, shortens, budget }: Clients): Promise<History> {
  const recorder = recordHistory();
  const program = fc.array(shortens ? shortening : growing, { minLength: steps, maxLength: steps });
  const programs = fc.sample(program, { seed: budget.seed, numRuns: handles.length });
  const clients = handles.map((handle, index) => recorder.wrap(`client ${index + 1}`, handle));
  await Promise.all(clients.map((client, index) => runProgram(client, programs[index] ?? [])));
  const [first] = handles;
  return first === undefined ? recorder.history() : recorder.finish(first);
}

async function runProgram(
  client: RecordedCheckpointer<object>,
  steps: readonly Step[],
): Promise<void> {
  for (const step of steps) {
    try {
      await runStep(client, step);
    } catch (error) {
      const foreseen = ["CONFLICT", "BUSY", "LOG_CHANGED"] as const;
      if (!foreseen.some((code) => isCheckpointError(error, code))) throw error;
    }
  }
}

const session = "s";

async function runStep(client: RecordedCheckpointer<object>, step: Step): Promise<void> {
  switch (step.do) {
    case "append":
      await client.append(session, eventsFor(step.count));
      return;
    case "append at head": {
      const head = await client.head(session);
      await client.append(session, eventsFor(step.count), Math.max(0, head + step.off));
      return;
    }
    case "read": {
      const head = await client.head(session);
      await collect(client.read(session, { sinceSeq: Math.max(0, head - step.back) }));
      return;
    }
    case "head":
      await client.head(session);
      return;
    case "truncate":
      await client.truncate(session, step.toSeq);
      return;
    case "delete":
      await client.delete(session);
  }
}

function eventsFor(length: number): object[] {
  return Array.from({ length }, () => ({}));
}

/** A history that cannot be, with all that is needed to look at it. */
class ImpossibleHistory extends Violation {
  readonly history: History;

  constructor(message: string, history: History) {
    super(message);
    this.history = history;
  }
}

/**
 * Checks that a history can be that of a log.
 *
 * @param rules - look for these alone; default: all, and then a history that cannot be judged fails too
 */
export function requireValid(check: Check, history: History, rules?: readonly Rule[]): void {
  const { violations, undecided } = checkHistory(history);
  const found = violations.find(({ rule }) => rules?.includes(rule) ?? true);
  if (found !== undefined) {
    const { lines } = explainViolation(history, found);
    throw new ImpossibleHistory([`${found.rule}: ${found.message}`, ...lines].join("\n"), history);
  }
  const [open] = rules === undefined ? undecided : [];
  if (open !== undefined) throw new ImpossibleHistory(`cannot be judged: ${open.message}`, history);
  check.ok(history.operations.length > 0, "the clients did something");
}
