import type { Context } from "./context.ts";
import type { OptionalCapability } from "./manifest.ts";

/**
 * How far a store can be trusted. L1: one handle. L2: many handles and processes at once. L3: a crash
 * at any moment. L4: many machines and broken connections. A level includes those below it.
 */
export type Level = "L1" | "L2" | "L3" | "L4";

/** The levels, lowest first. */
export const levels: readonly Level[] = ["L1", "L2", "L3", "L4"];

/**
 * One sentence that has to hold, why it is there, and how to check it. `Needed` are the things that it
 * can ask of its subject, `Given` is what its cases are run on.
 */
export interface Checkable<Needed, Given> {
  /** As in reports and `ckpt explain`; never reused for something else. */
  readonly id: string;
  readonly group: string;
  /** What a subject must have for the property to apply to it. */
  readonly requires?: readonly Needed[];
  /** What holds, in the present tense. */
  readonly statement: string;
  /** What goes wrong for users where it does not hold. */
  readonly reason: string;
  /** Where it went wrong: `owner/repository#number`. */
  readonly reports?: readonly string[];
  /** The ways to check it, each on a fresh subject. */
  readonly cases: ReadonlyArray<CheckableCase<Needed, Given>>;
}

/** One way to check a property. */
export interface CheckableCase<Needed, Given> {
  /** Present tense, starts with the method it is about. */
  readonly name: string;
  /** Beyond what the property itself requires. */
  readonly requires?: readonly Needed[];
  /** Throws where the subject does otherwise. */
  run(given: Given): Promise<void>;
}

/** One sentence of the contract. */
export interface Property extends Checkable<Requirement, Context> {
  /** The level that needs it. */
  readonly level: Level;
  /** Advisory: reported, and no level needs it. */
  readonly advisory?: boolean;
}

/** One way to check a {@link Property}, on a fresh store. */
export type Case = CheckableCase<Requirement, Context>;

/** A group of properties that {@link Case}s are written under. */
export type Properties = readonly Property[];

/**
 * What a property can ask for. `full` is the whole `Checkpointer` interface, as opposed to the methods
 * of `MinimalCheckpointer`; the next ones are capabilities of the manifest; the others are reaches of
 * the fixture.
 */
export type Requirement =
  | "full"
  | OptionalCapability
  | "handles"
  | "processes"
  | "durable"
  | "power"
  | "files"
  | "logFile"
  | "damage"
  | "block"
  | "paced"
  | "directory"
  | "server";
