import type { Context } from "./context.ts";

/**
 * How far a store can be trusted. L1: one handle. L2: many handles and processes at once. L3: a crash
 * at any moment. L4: many machines and broken connections. A level includes those below it.
 */
export type Level = "L1" | "L2" | "L3" | "L4";

/** The levels, lowest first. */
export const levels: readonly Level[] = ["L1", "L2", "L3", "L4"];

/** One sentence of the contract, why it is there, and how to check it. */
export interface Property {
  /** As in reports and `ckpt explain`; never reused for something else. */
  readonly id: string;
  readonly group: string;
  /** The level that needs it. */
  readonly level: Level;
  /** What a store must have for the property to apply to it. */
  readonly requires?: readonly Requirement[];
  /** Advisory: reported, and no level needs it. */
  readonly advisory?: boolean;
  /** What holds, in the present tense. */
  readonly statement: string;
  /** What goes wrong for users where it does not hold. */
  readonly reason: string;
  /** Where it went wrong: `owner/repository#number`. */
  readonly reports?: readonly string[];
  /** The ways to check it, each on a fresh store. */
  readonly cases: readonly Case[];
}

/** One way to check a property. */
export interface Case {
  /** Present tense, starts with the method it is about. */
  readonly name: string;
  /** Beyond what the property itself requires. */
  readonly requires?: readonly Requirement[];
  /** Throws where the store does otherwise. */
  run(context: Context): Promise<void>;
}

/** A group of properties that {@link Case}s are written under. */
export type Properties = readonly Property[];

/**
 * What a property can ask for. `full` is the whole `Checkpointer` interface, as opposed to the methods
 * of `MinimalCheckpointer`; the next ones are capabilities of the manifest; the others are reaches of
 * the fixture.
 */
export type Requirement =
  | "full"
  | "truncate"
  | "range"
  | "idempotency"
  | "headToken"
  | "listPage"
  | "fork"
  | "verify"
  | "repair"
  | "handles"
  | "processes"
  | "durable"
  | "power"
  | "files"
  | "logFile"
  | "damage"
  | "block"
  | "paced"
  | "directory";
