import { pinnedSeed } from "./budget.ts";
import type { CreateFixture, OpenedHandle } from "./fixture.ts";
import { properties } from "./properties/index.ts";
import type { Property } from "./property.ts";
import { runProperty, type RunOptions } from "./run-property.ts";

/** Options of the emitters. */
export interface EmitterOptions {
  /** Declare only the tests of these properties, by id. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Seed of everything generated. Default: a pinned one. */
  readonly seed?: number | undefined;
  /** Multiplies the number of generated runs. Default 1. */
  readonly effort?: number | undefined;
  /** Milliseconds after which a case is called hung. Default 120,000. */
  readonly patience?: number | undefined;
}

/** Declares a group of tests. */
export type Describe = (name: string, declare: () => void) => unknown;

/** What the vitest emitter needs of vitest. */
export interface Vitest {
  readonly describe: Describe;
  /** Declares a test. */
  readonly test: (
    name: string,
    run: (context: { readonly skip: (note?: string) => void }) => Promise<void>,
    timeout?: number,
  ) => unknown;
}

/** What the jest emitter needs of jest's globals. */
export interface Jest {
  readonly describe: Describe;
  /** Declares a test. */
  readonly test: (name: string, run: () => Promise<void>, timeout?: number) => unknown;
}

/** What the mocha emitter needs of mocha's globals. */
export interface Mocha {
  readonly describe: Describe;
  /** Declares a test. */
  readonly it: (name: string, run: (this: MochaContext) => Promise<void>) => unknown;
}

/** What mocha gives a test as `this`. */
export interface MochaContext {
  /** Ends the test as skipped. */
  skip(): void;
  /** Sets how long the test may take. */
  timeout(milliseconds: number): unknown;
}

/** What the emitter for Node's own runner needs of `node:test`. */
export interface NodeTest {
  readonly describe: Describe;
  /** Declares a test. */
  readonly test: (
    name: string,
    run: (context: { skip(note?: string): void }) => Promise<void>,
  ) => unknown;
}

/** Declares one vitest test per property, in groups. */
export function vitestConformance(
  createFixture: CreateFixture,
  { describe, test }: Vitest,
  options: EmitterOptions = {},
): void {
  emit(createFixture, options, describe, (name, run, timeout) => {
    test(name, ({ skip }) => run(skip), timeout);
  });
}

/** Declares one jest test per property. Jest cannot skip a test that runs, so reasons are printed. */
export function jestConformance(
  createFixture: CreateFixture,
  { describe, test }: Jest,
  options: EmitterOptions = {},
): void {
  emit(createFixture, options, describe, (name, run, timeout) => {
    test(name, () => run((reason) => console.info(`skipped ${name}: ${reason}`)), timeout);
  });
}

/** Declares one mocha test per property. Mocha takes no reason for a skip, so reasons are printed. */
export function mochaConformance(
  createFixture: CreateFixture,
  { describe, it }: Mocha,
  options: EmitterOptions = {},
): void {
  emit(createFixture, options, describe, (name, run, timeout) => {
    it(name, async function (this: MochaContext) {
      this.timeout(timeout);
      await run((reason) => {
        console.info(`skipped ${name}: ${reason}`);
        this.skip();
      });
    });
  });
}

/** Declares one `node:test` test per property. */
export function nodeTestConformance(
  createFixture: CreateFixture,
  { describe, test }: NodeTest,
  options: EmitterOptions = {},
): void {
  emit(createFixture, options, describe, (name, run) => {
    test(name, (context) => run((reason) => context.skip(reason)));
  });
}

/** One property in the shape of a plain list of checks: throws where it does not hold. */
export interface ConformanceCase {
  readonly name: string;
  /**
   * Throws where the property does not hold.
   *
   * @param make - opens a new, empty store; called several times
   */
  run(make: () => OpenedHandle | Promise<OpenedHandle>): Promise<void>;
}

/**
 * The suite as an array, for a loop in any runner. It sees one handle a store, so it covers what one
 * handle can show; `certify` and the emitters cover the rest.
 */
export const checkpointerConformance: readonly ConformanceCase[] = properties.map((property) => ({
  name: titleOf(property),
  async run(make) {
    const createFixture: CreateFixture = () => {
      let handle: OpenedHandle | Promise<OpenedHandle> | undefined;
      return {
        name: "store",
        manifest: { concurrency: "instance" },
        open: () => (handle ??= make()),
        async dispose() {
          await ((await handle) as { close?(): Promise<void> } | undefined)?.close?.();
        },
      };
    };
    await settle(property, createFixture, resolve({}), () => undefined);
  },
}));

function emit(
  createFixture: CreateFixture,
  options: EmitterOptions,
  describe: Describe,
  declare: (name: string, run: (skip: Skip) => Promise<void>, timeout: number) => void,
): void {
  const run = resolve(options);
  const chosen = properties.filter(({ id }) => options.only?.includes(id) ?? true);
  for (const group of new Set(chosen.map((one) => one.group))) {
    describe(group, () => {
      for (const property of chosen.filter((one) => one.group === group)) {
        // The suite's own watchdog comes first, since it can say which case hangs.
        const timeout = run.patience * (property.cases.length + 1);
        declare(titleOf(property), (skip) => settle(property, createFixture, run, skip), timeout);
      }
    });
  }
}

function resolve({
  seed = pinnedSeed,
  effort = 1,
  patience = 120_000,
}: EmitterOptions): RunOptions {
  return { budget: { seed, effort }, patience };
}

function titleOf({ id, statement }: Property): string {
  return `${id} ${statement}`;
}

type Skip = (reason: string) => void;

/** Runs a property and says how it went as test runners understand it: an exception, a skip or nothing. */
async function settle(
  property: Property,
  createFixture: CreateFixture,
  options: RunOptions,
  skip: Skip,
): Promise<void> {
  const { outcome, message, failedCase, error } = await runProperty(
    property,
    createFixture,
    options,
  );
  if (outcome === "pass") return;
  if (outcome === "skip") skip(message);
  // Reported, and no level needs it.
  else if (property.advisory === true) skip(`advisory, and not so: ${message}`);
  else throw new Error(`${failedCase ?? property.id}: ${message}`, { cause: error });
}
