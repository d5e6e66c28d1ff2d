import { existsSync, rmSync, mkdtempSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { Checkpointer, StoredEvent } from "../../src/index.ts";
import { pathsBelow } from "../paths-below.ts";
import type { TestEvent } from "./script.ts";

/** Ids of the events of each session, in order; sessions that do not exist are not in it. */
export type StoreState = Readonly<Record<string, readonly string[]>>;

/** The ids of a session's events. */
export async function idsOf(
  checkpointer: Checkpointer<TestEvent>,
  session: string,
): Promise<string[]> {
  return (await eventsOf(checkpointer, session)).map(({ event }) => event.id);
}

/** The events of a session. */
export async function eventsOf(
  checkpointer: Checkpointer<TestEvent>,
  session: string,
): Promise<Array<StoredEvent<TestEvent>>> {
  const events: Array<StoredEvent<TestEvent>> = [];
  for await (const event of checkpointer.read(session)) events.push(event);
  return events;
}

/** The whole content of a store, after checking that head, read, list and verify tell the same. */
export async function stateOf(checkpointer: Checkpointer<TestEvent>): Promise<StoreState> {
  const state: Record<string, readonly string[]> = {};
  for (const { id, head, damaged } of await checkpointer.list()) {
    const events = await eventsOf(checkpointer, id);
    expect(damaged, `${id} is listed as damaged`).toBeUndefined();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(head, "list and read").toBe(events.length);
    expect(await checkpointer.head(id), "head and read").toBe(events.length);
    const backwards: string[] = [];
    for await (const { event } of checkpointer.read(id, { reverse: true })) {
      backwards.unshift(event.id);
    }
    state[id] = events.map(({ event }) => event.id);
    expect(backwards, "both directions").toEqual(state[id]);
  }
  for await (const report of checkpointer.verify()) {
    const damage = report.findings.filter(({ code }) => code !== "TORN_TAIL");
    expect(damage, `verify ${report.sessionId}`).toEqual([]);
  }
  return state;
}

/** A state as a text that can be compared; the order of the list is left out. */
export function stateText(state: StoreState): string {
  const sessions = Object.keys(state).sort();
  return JSON.stringify(sessions.map((id) => [id, state[id]]));
}

/** Makes a new temporary directory. */
export function makeTempDir(): string {
  return mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
}

/** The same in memory where there is such a place, for tests that no real disk can tell apart. */
export function makeFastTempDir(): string {
  const inMemory = "/dev/shm";
  return existsSync(inMemory) ? mkdtempSync(join(inMemory, "checkpointer-kit-")) : makeTempDir();
}

export function removeTempDir(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

/** What a file store and an anchor keep beside what lasts; nothing, once every handle is closed. */
export function leftovers(directory: string): string[] {
  return namesBelow(directory).filter((name) => !lasting.test(name));
}

/** Logs, anchors, and in a sweep with an anchor the directories and the database of both. */
const lasting = /\.jsonl$|\.anchor$|^store$|^anchor$|^sessions\.db$/;

function namesBelow(directory: string): string[] {
  return pathsBelow(directory).map((path) => relative(directory, path));
}

/**
 * Makes the locks of a file store and an anchor look as if their holders had given no sign of life for long: what
 * waiting would do, without the wait.
 */
export function ageLocks(directory: string): void {
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of namesBelow(directory)) {
    if (!name.endsWith(".lock")) continue;
    try {
      utimesSync(join(directory, name), longAgo, longAgo);
    } catch {
      // Its holder has let it go.
    }
  }
}
