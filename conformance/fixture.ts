import type { Capabilities, EventObject, MinimalCheckpointer } from "../src/index.ts";

/**
 * One isolated, empty backing store, as the suite uses it. Every property gets a fixture of its own.
 *
 * `open` and `dispose` are enough to certify at level L2 within one process. What a store promises
 * beyond that has to be reachable: `processModule` lets other processes open it, `directory` says
 * where its files are, and so on. A property that cannot reach what it needs is skipped, with the
 * reason printed, and the level that needs it is not given.
 */
export interface Fixture {
  /** What reports call the store, for example `redis`. */
  readonly name: string;
  /**
   * A new handle onto this store. Called many times: handles must be independent objects, unless the
   * store is safe within one object only (`concurrency: "instance"`), and then the same one each time.
   */
  open(): OpenedHandle | Promise<OpenedHandle>;
  /**
   * A handle whose store awaits `pace` before every step of I/O, so that the suite can let the steps of
   * several handles through in any order; `pacedStore` does it for a `RecordStore`. Where handles share
   * one object, so do these.
   */
  openPaced?(pace: Pace): OpenedHandle | Promise<OpenedHandle>;
  /**
   * Handles as after a restart of the process: called when every handle is closed. Default: `open`.
   */
  reopen?(): OpenedHandle | Promise<OpenedHandle>;
  /** Closes what is still open and removes the store. */
  dispose(): void | Promise<void>;
  /**
   * What the store promises, where its handles have no `capabilities`; what is left out is taken as
   * not promised. A manifest of the handles themselves always wins.
   */
  readonly manifest?: Partial<Capabilities>;
  /**
   * URL (`import.meta.url` style) of a JavaScript module that child processes load to open the same
   * store; it exports `open` as {@link ProcessModule} says. Without it nothing can be said about many
   * processes, kills and crashes.
   */
  readonly processModule?: string;
  /** What `processModule`'s `open` is given; has to survive JSON. */
  readonly processArgument?: unknown;
  /** The folder that holds everything the store writes, and nothing else; with processes only. */
  readonly directory?: string;
  /**
   * Who writes the bytes. `memory`: nobody. `files`: the adapter itself, through `node:fs`, and so torn
   * writes, damage, full disks and power cuts are its own business. `engine`: a database that answers
   * for its own files. Default: `files` with a `directory`, otherwise `memory`.
   */
  readonly storage?: "memory" | "files" | "engine";
  /**
   * The file that holds one session's records in the order of appends, newest last, where there is
   * such a file. The suite cuts and damages it while no handle is open.
   */
  logFile?(sessionId: string): string | Promise<string>;
  /**
   * Does what a failing disk or a careless hand would do to the record at `seq`, while no handle is
   * open. For stores without a {@link logFile}.
   */
  damage?(sessionId: string, seq: number, kind: DamageKind): void | Promise<void>;
  /**
   * Makes whatever dead or stopped processes have left behind, such as locks, look old enough to be
   * taken over: what waiting would do, without the wait. Default: the suite waits.
   */
  expireLocks?(): void | Promise<void>;
  /**
   * Keeps other writers of the session out, as a foreign transaction would, until the result is
   * called. Writers have to give up with `BUSY` meanwhile, so open stores with a short timeout.
   */
  block?(sessionId: string): BlockedSession | Promise<BlockedSession>;
  /**
   * The server behind a store with `concurrency: "network"`; the suite puts a relay in front of it
   * that breaks connections and holds up what goes through them.
   */
  readonly server?: ServerReach;
}

/** A store's server, as the suite gets between it and a handle. */
export interface ServerReach {
  readonly host: string;
  readonly port: number;
  /** A handle that reaches the server at this port of 127.0.0.1 instead. */
  open(port: number): OpenedHandle | Promise<OpenedHandle>;
  /**
   * `postgres://…`, where the server is PostgreSQL: the bench makes a schema there for the bare
   * operations that it compares with, and removes it.
   */
  readonly connectionString?: string;
}

/** What {@link Fixture.open} gives: a whole `Checkpointer`, or the methods that every store must have. */
export type OpenedHandle = MinimalCheckpointer<EventObject>;

/** Holds a step of I/O until it is its turn; `step` names it in reports. */
export type Pace = (step: string) => Promise<void>;

/** Ends a {@link Fixture.block}. */
export type BlockedSession = () => void | Promise<void>;

/** What {@link Fixture.damage} does to a record: makes its content senseless, or takes it away. */
export type DamageKind = "garble" | "remove";

/** Makes a new, empty store. */
export type CreateFixture = () => Fixture | Promise<Fixture>;

/** What the module at {@link Fixture.processModule} exports. */
export interface ProcessModule {
  /** Opens the store of a fixture, in another process. */
  open(argument: unknown): OpenedHandle | Promise<OpenedHandle>;
}

/** Checks what an untyped module gave, before the suite trips over it. */
export function requireFixture(value: unknown): Fixture {
  const fixture = value as Partial<Fixture> | null;
  const wrong =
    typeof fixture !== "object" || fixture === null
      ? "it is no object"
      : typeof fixture.name !== "string"
        ? "name is no string"
        : (["open", "dispose"] as const)
            .filter((method) => typeof fixture[method] !== "function")
            .map((method) => `${method} is no function`)[0];
  if (wrong !== undefined) throw new TypeError(`createFixture() gave no fixture: ${wrong}`);
  return fixture as Fixture;
}
