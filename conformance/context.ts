import { createCheck, type Check } from "./check.ts";
import { requireFixture, type CreateFixture, type Fixture } from "./fixture.ts";
import { manifestOf, type Manifest } from "./manifest.ts";
import type { Budget } from "./budget.ts";
import type { Handle } from "./session-state.ts";

/** What a case is given: a fresh store, assertions, and what it may spend. */
export interface Context {
  readonly check: Check;
  readonly fixture: Fixture;
  /** What the store promises. */
  readonly manifest: Manifest;
  readonly budget: Budget;
  /** A new handle; the same one each time where one object is all that is safe. */
  readonly open: () => Promise<Handle>;
  /** `count` handles onto the store. */
  readonly openMany: (count: number) => Promise<Handle[]>;
  /** Closes every handle and opens the store as after a restart. */
  readonly reopen: () => Promise<Handle>;
  /** Closes every handle that was opened. */
  readonly closeAll: () => Promise<void>;
  /** Another, independent store of the same kind; `dispose` removes it before the case ends. */
  readonly another: () => Promise<OwnedContext>;
  /** Adds a figure to the report, such as the number of kills. */
  readonly note: (figure: string) => void;
}

/** A context together with what the runner needs of it. */
export interface OwnedContext extends Context {
  readonly notes: readonly string[];
  /** Closes and removes everything. */
  dispose(): Promise<void>;
}

/** Makes a store and what a case needs to use it. */
export async function createContext(
  createFixture: CreateFixture,
  budget: Budget,
  check: Check = createCheck(),
): Promise<OwnedContext> {
  const fixture = requireFixture(await createFixture());
  const handles = new Set<Handle>();
  const others: OwnedContext[] = [];
  const notes: string[] = [];
  const register = (handle: object): Handle => {
    handles.add(handle as Handle);
    return handle as Handle;
  };
  const closeAll = async (): Promise<void> => {
    const open = [...handles];
    handles.clear();
    await Promise.all(open.map(closeOf));
  };
  let disposed = false;
  const open = async (): Promise<Handle> => register(await fixture.open());
  const manifest = manifestOf(await open(), fixture);
  return {
    check,
    fixture,
    manifest,
    budget,
    notes,
    open,
    async openMany(count) {
      const opened: Handle[] = [];
      while (opened.length < count) opened.push(await open());
      return opened;
    },
    closeAll,
    async reopen() {
      // A store that lives in one object has nothing to come back to.
      if (manifest.concurrency === "instance" && fixture.reopen === undefined) return open();
      await closeAll();
      return register(await (fixture.reopen === undefined ? fixture.open() : fixture.reopen()));
    },
    async another() {
      const other = await createContext(createFixture, budget, check);
      others.push(other);
      return other;
    },
    note: (figure) => void notes.push(figure),
    async dispose() {
      if (disposed) return;
      disposed = true;
      try {
        await Promise.all(others.map((other) => other.dispose()));
        await closeAll();
      } finally {
        await fixture.dispose();
      }
    },
  };
}

/** Closes a handle that has something to close. */
async function closeOf(handle: Partial<Handle>): Promise<void> {
  await handle.close?.();
}

/** Runs `work` on another store of the same kind, and removes it whatever happens. */
export async function withAnother<T>(
  context: Context,
  work: (store: OwnedContext) => Promise<T>,
): Promise<T> {
  const store = await context.another();
  try {
    return await work(store);
  } finally {
    await store.dispose();
  }
}
