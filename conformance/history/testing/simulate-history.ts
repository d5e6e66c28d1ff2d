import type { AppendCall, Call, History, Operation, OperationOutcome } from "../history.ts";
import { arrayLog, perform, type ArrayLog } from "./array-log.ts";
import type { Random } from "./random.ts";

/** What is simulated. */
export interface Simulation {
  readonly clients: number;
  /** Calls of all clients together, without the final ones. */
  readonly calls: number;
  readonly sessions: number;
  /** Whether sessions are truncated and deleted. */
  readonly shortens: boolean;
  /** How often a client dies during a call, and how often it lives and is not told the outcome. */
  readonly losses: number;
  /** Whether some reads start far from the end; without them a long history stays small. */
  readonly longReads: boolean;
}

/**
 * The history of a correct store: every call takes effect at one moment between its start and its
 * end. Calls without an answer take effect at any later moment, or never. At the end, when all answered
 * calls are over, client `final` reads each session and asks for its head.
 */
export function simulateHistory(random: Random, simulation: Simulation): History {
  return { operations: new Simulator(random, simulation).run() };
}

interface Running {
  readonly client: string;
  readonly operation: { -readonly [Field in keyof Operation]: Operation[Field] };
  readonly fate: "answer" | "refusal" | "lost" | "death";
  outcome: OperationOutcome | null;
}

class Simulator {
  readonly #random: Random;
  readonly #simulation: Simulation;
  readonly #operations: Operation[] = [];
  readonly #logs = new Map<string, ArrayLog>();
  readonly #heads = new Map<string, number>();
  readonly #keyed: Array<{ readonly sessionId: string; readonly call: AppendCall }> = [];
  #running: Running[] = [];
  /** Calls without an answer that did not take effect yet. */
  #pending: Operation[] = [];
  #clients: string[];
  #moments = 0;
  #names = 0;

  constructor(random: Random, simulation: Simulation) {
    this.#random = random;
    this.#simulation = simulation;
    this.#clients = Array.from({ length: simulation.clients }, () => this.#newName("c"));
  }

  run(): readonly Operation[] {
    while (this.#operations.length < this.#simulation.calls || this.#running.length > 0)
      this.#step();
    for (let index = 0; index < this.#simulation.sessions; index += 1) {
      for (const call of [{ method: "read", sinceSeq: 0 }, { method: "head" }] as const) {
        const final = this.#start("final", `s${index}`, call, "answer");
        this.#takeEffect(final);
        this.#end(final);
        this.#landPending();
      }
    }
    return this.#operations;
  }

  #step(): void {
    if (this.#random.chance(0.1)) this.#landPending();
    const client = this.#random.pick(this.#clients) ?? "";
    const own = this.#running.filter((running) => running.client === client);
    const isFree = own.length === 0 || (own.length === 1 && this.#random.chance(0.1));
    if (isFree && this.#operations.length < this.#simulation.calls) {
      const sessionId = `s${this.#random.below(this.#simulation.sessions)}`;
      const call = this.#newCall(client, sessionId);
      const fate = this.#newFate();
      this.#start(client, sessionId, call, fate);
      return;
    }
    const running = this.#random.pick(own);
    if (running === undefined) return;
    const isHalfway = running.outcome !== null || running.fate === "refusal";
    const vanishes = running.fate === "lost" || running.fate === "death";
    if (isHalfway || (vanishes && this.#random.chance(0.5))) this.#end(running);
    else this.#takeEffect(running);
  }

  #newFate(): Running["fate"] {
    const { losses } = this.#simulation;
    if (this.#random.chance(losses)) return "lost";
    if (this.#random.chance(losses)) return "death";
    return this.#random.chance(0.04) ? "refusal" : "answer";
  }

  #newCall(client: string, sessionId: string): Call {
    const random = this.#random;
    const head = this.#heads.get(`${client} ${sessionId}`) ?? 0;
    const expected = random.chance(0.5) ? { expectedHead: head } : {};
    const chosen = random.below(this.#simulation.shortens ? 20 : 16);
    if (chosen < 3) return { method: "head" };
    if (chosen < 7) {
      const { length } = this.#logs.get(sessionId)?.events ?? [];
      if (!this.#simulation.longReads) return { method: "read", sinceSeq: Math.max(0, length - 3) };
      return { method: "read", sinceSeq: random.chance(0.7) ? random.below(head + 2) : head };
    }
    if (chosen === 19) return { method: "delete" };
    if (chosen >= 16) return { method: "truncate", toSeq: random.below(head + 2), ...expected };
    const retry = random.pick(this.#keyed);
    if (retry?.sessionId === sessionId && random.chance(0.3)) return retry.call;
    const length = random.chance(0.05) ? 0 : 1 + random.below(3);
    const ids = Array.from({ length }, () => this.#newName("e"));
    if (length === 0 || !random.chance(0.15)) return { method: "append", ids, ...expected };
    const keyed: Call = { method: "append", ids, ...expected, idempotencyKey: this.#newName("k") };
    this.#keyed.push({ sessionId, call: keyed });
    return keyed;
  }

  #start(client: string, sessionId: string, call: Call, fate: Running["fate"]): Running {
    const operation: Operation = {
      client,
      sessionId,
      call,
      start: (this.#moments += 1),
      end: null,
      outcome: { status: "unknown" },
    };
    this.#operations.push(operation);
    const running: Running = { client, operation, fate, outcome: null };
    this.#running.push(running);
    return running;
  }

  #takeEffect(running: Running): void {
    running.outcome = this.#perform(running.operation);
  }

  #perform({ sessionId, call }: Operation): OperationOutcome {
    const log = this.#logs.get(sessionId) ?? arrayLog();
    this.#logs.set(sessionId, log);
    return perform(log, call);
  }

  #end(running: Running): void {
    const { client, operation, fate, outcome } = running;
    this.#running = this.#running.filter((other) => other !== running);
    if (fate === "death") {
      // All calls of a dead client are without an answer.
      this.#clients = this.#clients.map((name) => (name === client ? this.#newName("c") : name));
      const others = this.#running.filter((other) => other.client === client);
      this.#running = this.#running.filter((other) => other.client !== client);
      for (const dead of [running, ...others]) {
        if (dead.outcome === null) this.#pending.push(dead.operation);
      }
      return;
    }
    operation.end = this.#moments += 1;
    if (fate === "refusal") operation.outcome = { status: "refused", code: "BUSY" };
    else if (fate === "answer" && outcome !== null) this.#hear(running, outcome);
    else if (outcome === null) this.#pending.push(operation);
  }

  #hear({ client, operation }: Running, outcome: OperationOutcome): void {
    operation.outcome = outcome;
    const name = `${client} ${operation.sessionId}`;
    if (outcome.status === "conflict") this.#heads.set(name, outcome.actual);
    if ("head" in outcome) this.#heads.set(name, outcome.head);
    if ("events" in outcome) this.#heads.set(name, outcome.events.at(-1)?.seq ?? 0);
  }

  #landPending(): void {
    const operation = this.#random.pick(this.#pending);
    if (operation === undefined) return;
    this.#pending = this.#pending.filter((other) => other !== operation);
    if (this.#random.chance(0.7)) this.#perform(operation);
  }

  #newName(letter: string): string {
    return `${letter}${(this.#names += 1)}`;
  }
}
