import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "vitest";
import type { Checkpointer, RewriteReport } from "../../src/index.ts";
import type { Left, PlaceIn, Target } from "./kill-sweep.ts";
import { eventOf, openPlace, type Place, type TestEvent } from "./script.ts";
import type { Ring } from "./rings.ts";
import { ageLocks, eventsOf, leftovers } from "./store-state.ts";

/** One way to seal every session anew. */
export interface Rewrite {
  readonly do: "rekey" | "adopt";
  /** What opens a session before it; undefined: it is plain. */
  readonly before: Ring | undefined;
  /** What it runs with. */
  readonly during: Ring;
}

export const rewrites: readonly Rewrite[] = [
  { do: "rekey", before: "both", during: "both" },
  { do: "adopt", before: undefined, during: "new" },
];

/** What opens a session afterwards: a ring that never heard of the old key. */
const after: Ring = "new";

/** What a sweep came to. */
export interface RewriteTally {
  /** Sessions that were looked at, by what they were found to be. */
  old: number;
  new: number;
  neither: number;
  /** Second runs that sealed what was left and skipped what was done. */
  resumed: number;
}

export function createRewriteTally(): RewriteTally {
  return { old: 0, new: 0, neither: 0, resumed: 0 };
}

/** A word that occurs nowhere but in events. */
const canary = "zyxwhistlestop9quagmire";

/** A session as it has to stay: its events with their times, and the key it was appended with. */
interface Kept {
  readonly events: string;
  readonly token: string;
  readonly ids: readonly string[];
}

/** A store to be sealed anew, and what is in it. */
export interface PreparedRewrite {
  readonly rewrite: Rewrite;
  readonly target: Target;
  readonly kept: ReadonlyMap<string, Kept>;
}

/**
 * Fills a store with sessions that are to be sealed anew, each with a key on its first batch.
 *
 * @param longest - records of the longest session
 */
export async function prepareRewrite(
  root: string,
  rewrite: Rewrite,
  placeIn: PlaceIn,
  longest: number,
): Promise<PreparedRewrite> {
  const template = join(root, `${rewrite.do} template`);
  mkdirSync(template, { recursive: true });
  const at = placeIn(template);
  const oldest: Ring | undefined = rewrite.do === "rekey" ? "old" : undefined;
  const kept = new Map<string, Kept>();
  await using(withRing(at, oldest), async (writer) => {
    for (const [session, more] of [
      ["one", longest - 2],
      ["two", 1],
      ["three", 0],
    ] as const) {
      const ids = [`${canary} ${session} 1`, `${canary} ${session} 2`];
      const events = ids.map((id) => eventOf(id));
      await writer.append(session, events, { idempotencyKey: session });
      await writer.append(session, Array(more).fill(eventOf(canary)));
      kept.set(session, { events: "", token: "", ids });
    }
  });
  if (rewrite.do === "rekey") {
    // As in the middle of a rotation: its last record has the new key already.
    await using(withRing(at, "both"), (writer) => writer.append("three", [eventOf(canary)]));
  }
  await using(withRing(at, rewrite.before), async (reader) => {
    for (const [session, { ids }] of kept) {
      const events = JSON.stringify(await eventsOf(reader, session));
      kept.set(session, { events, token: await reader.headToken(session), ids });
    }
  });
  expect(holdsCanary(template)).toBe(rewrite.do === "adopt");
  const during: PlaceIn = (directory) => withRing(placeIn(directory), rewrite.during);
  const target = { name: rewrite.do, step: { do: rewrite.do }, template, placeIn: during };
  return { rewrite, target, kept };
}

/** Looks at what a kill left, seals the rest, and looks again. */
export async function examineRewrite(
  left: Left,
  { rewrite, kept }: PreparedRewrite,
  tally: RewriteTally,
): Promise<void> {
  const { where, directory, place, acknowledged } = left;
  ageLocks(directory);
  const done = await countDone(left, rewrite, kept, tally);
  if (acknowledged) expect(done, where).toBe(kept.size);

  const run = (checkpointer: Checkpointer<TestEvent>): Promise<RewriteReport> =>
    checkpointer[rewrite.do]();
  const report = await using(place, run);
  const rest = { sessions: kept.size - done, skipped: done };
  expect(report, `${where}: resumed`).toMatchObject(rest);
  if (place.adapter === "sqlite") vacuum(place.at);
  expect(holdsCanary(directory), `${where}: plain text`).toBe(false);

  await using(withRing(place, after), async (reader) => {
    for (const [session, { events, ids }] of kept) {
      const found = await eventsOf(reader, session);
      expect(JSON.stringify(found), `${where}: ${session}`).toBe(events);
      await expectSound(reader, session, ids, where);
      await reader.append(session, [eventOf("z")]);
    }
    expect(await run(reader), `${where}: again`).toMatchObject({ sessions: 0, skipped: kept.size });
  });
  if (place.adapter === "file") expect(leftovers(directory), where).toEqual([]);
  tally.resumed += 1;
}

/** Counts the sessions that were sealed anew; every other one has to be exactly as it was. */
async function countDone(
  { where, directory, place }: Left,
  { before }: Rewrite,
  kept: PreparedRewrite["kept"],
  tally: RewriteTally,
): Promise<number> {
  // Keys are looked up by writers, whose traces must not help the run that resumes.
  const copy = `${directory} copy`;
  cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
  ageLocks(copy);
  const copied = { ...place, at: place.at.replace(directory, copy) };
  let done = 0;
  for (const [session, { events, token, ids }] of kept) {
    const [asNew, asOld] = [after, before].map((ring) => withRing(copied, ring));
    const isNew = await using(asNew!, (reader) => holds(reader, session, events));
    const readable = isNew || (await using(asOld!, (reader) => holds(reader, session, events)));
    await using(isNew ? asNew! : asOld!, async (reader) => {
      const isOld = (await reader.headToken(session)) === token;
      // A log of another generation that the new key does not open would be a mix.
      if (!readable || isOld === isNew) tally.neither += 1;
      else tally[isNew ? "new" : "old"] += 1;
      expect({ session, readable, isOld }, where).toEqual({
        session,
        readable: true,
        isOld: !isNew,
      });
      await expectSound(reader, session, ids, where);
    });
    if (isNew) done += 1;
  }
  return done;
}

async function holds(
  reader: Checkpointer<TestEvent>,
  session: string,
  events: string,
): Promise<boolean> {
  try {
    return JSON.stringify(await eventsOf(reader, session)) === events;
  } catch {
    return false;
  }
}

/** Nothing is damaged, and the key of the first batch still answers. */
async function expectSound(
  checkpointer: Checkpointer<TestEvent>,
  session: string,
  ids: readonly string[],
  where: string,
): Promise<void> {
  for await (const { findings } of checkpointer.verify(session)) {
    expect(findings, `${where}: verify ${session}`).toEqual([]);
  }
  const events = ids.map((id) => eventOf(id));
  const head = await checkpointer.append(session, events, { idempotencyKey: session });
  expect(head, `${where}: the key of ${session}`).toBe(ids.length);
}

function withRing({ ring: _, ...place }: Place, ring: Ring | undefined): Place {
  return ring === undefined ? place : { ...place, ring };
}

async function using<T>(
  place: Place,
  work: (checkpointer: Checkpointer<TestEvent>) => Promise<T>,
): Promise<T> {
  const checkpointer = await openPlace(place);
  try {
    return await work(checkpointer);
  } finally {
    await checkpointer.close();
  }
}

/** Free pages may still hold old bytes, as docs/threat-model.md says; live ones may not. */
function vacuum(file: string): void {
  const database = new Database(file);
  database.exec("VACUUM");
  database.close();
}

function holdsCanary(directory: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .some((path) => statSync(path).isFile() && readFileSync(path).includes(canary));
}
