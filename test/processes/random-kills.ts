import { join } from "node:path";
import { expect } from "vitest";
import type { Acknowledged, Endless } from "./append-forever.ts";
import { startChild, type Child } from "./children.ts";
import { readLedger } from "./ledger.ts";
import { seededRandom } from "../../bench/seeded-random.ts";
import { below } from "./random.ts";
import { eventOf, openPlace, type Place } from "./script.ts";
import { ageLocks, eventsOf, stateOf } from "./store-state.ts";

/** What random kills came to. */
export interface KillTally {
  kills: number;
  acknowledged: number;
  stored: number;
  lost: number;
  doubled: number;
  torn: number;
}

export function createKillTally(): KillTally {
  return { kills: 0, acknowledged: 0, stored: 0, lost: 0, doubled: 0, torn: 0 };
}

/** Kills of writers on one session, before the next one: every check reads all of it. */
const killsPerSession = 10;

/** Kills one writer after the other, and checks everything in its session after each kill. */
export async function killWriters(
  place: Place,
  root: string,
  lane: number,
  kills: number,
  seed: number,
  tally: KillTally,
): Promise<void> {
  const random = seededRandom(seed + lane);
  let session = "";
  let acknowledged: Acknowledged[] = [];
  for (let round = 0; round < kills; round += 1) {
    if (round % killsPerSession === 0) {
      session = `lane ${lane} from ${round}`;
      acknowledged = [];
    }
    const run = seed + lane * 1_000 + round;
    const ledger = join(root, `${place.adapter}-${run}.ledger`);
    const order: Endless = { place, session, ledger, run };
    const writer = startChild("append-forever", order);
    await writer.message();
    await new Promise((resolve) => setTimeout(resolve, below(random, 81)));
    writer.kill("SIGKILL");
    const { signal, stderr } = await writer.exit;
    expect(signal, stderr).toBe("SIGKILL");
    const written = readLedger<Acknowledged>(ledger);
    acknowledged.push(...written);
    tally.kills += 1;
    tally.acknowledged += written.reduce((sum, { ids }) => sum + ids.length, 0);
    if (place.adapter === "file") ageLocks(place.at);
    await check(place, session, acknowledged, tally);
  }
}

/** Writers that share a session in a storm. */
const stormWriters = 3;

/**
 * Kills one of several writers of one session, again and again, and lets another one take its place.
 * For files the lock is made to look abandoned each time, also when its holder is alive and at work.
 */
export async function killStorm(
  place: Place,
  root: string,
  kills: number,
  seed: number,
  tally: KillTally,
): Promise<void> {
  const random = seededRandom(seed);
  const session = "storm";
  const writers: Array<{ child: Child; ledger: string }> = [];
  const ledgers: string[] = [];
  async function startWriter(): Promise<void> {
    const run = seed + ledgers.length;
    const ledger = join(root, `storm-${place.adapter}-${run}.ledger`);
    ledgers.push(ledger);
    const order: Endless = { place, session, ledger, run };
    const child = startChild("append-forever", order);
    writers.push({ child, ledger });
    await child.message();
  }
  for (let index = 0; index < stormWriters; index += 1) await startWriter();
  while (tally.kills < kills) {
    await new Promise((resolve) => setTimeout(resolve, below(random, 40)));
    const [victim] = writers.splice(below(random, writers.length), 1);
    victim?.child.kill("SIGKILL");
    await victim?.child.exit;
    tally.kills += 1;
    if (place.adapter === "file") ageLocks(place.at);
    await startWriter();
  }
  for (const { child } of writers) {
    child.kill("SIGKILL");
    const { signal, stderr } = await child.exit;
    expect(signal, stderr).toBe("SIGKILL");
  }
  if (place.adapter === "file") ageLocks(place.at);
  const acknowledged = ledgers.flatMap((ledger) => readLedger<Acknowledged>(ledger));
  tally.acknowledged += acknowledged.reduce((sum, { ids }) => sum + ids.length, 0);
  await check(place, session, acknowledged, tally);
}

/** After all kills: every session takes another event, and nothing at all is wrong with any. */
export async function finishStore(place: Place, tally: KillTally): Promise<void> {
  const survivor = await openPlace(place);
  const before = await stateOf(survivor);
  for (const [session, ids] of Object.entries(before)) {
    tally.stored += ids.length;
    expect(await survivor.append(session, [eventOf("survivor")])).toBe(ids.length + 1);
  }
  await stateOf(survivor);
  await survivor.close();
}

async function check(
  place: Place,
  session: string,
  acknowledged: readonly Acknowledged[],
  tally: KillTally,
): Promise<void> {
  const reader = await openPlace(place);
  const events = await eventsOf(reader, session);
  await reader.close();
  const ids = events.map(({ event }) => event.id);
  const problems: string[] = [];
  const complain = (kind: "lost" | "doubled" | "torn", what: string): void => {
    tally[kind] += 1;
    problems.push(`${kind}: ${what}`);
  };
  if (new Set(ids).size !== ids.length) complain("doubled", ids.join());
  for (const batch of acknowledged) {
    const found = ids.slice(batch.head - batch.ids.length, batch.head);
    if (found.join() !== batch.ids.join()) complain("lost", `${batch.ids.join()} at ${batch.head}`);
  }
  // Also what nobody acknowledged is there whole: "run.batch.index/size" tells how it must go on.
  for (let position = 0; position < ids.length;) {
    const [name = "", size = "0"] = (ids[position] ?? "").split("/");
    const batch = name.replace(/\.0$/, "");
    const whole = Array.from({ length: Number(size) }, (_, index) => `${batch}.${index}/${size}`);
    const found = ids.slice(position, position + whole.length);
    if (found.join() !== whole.join()) complain("torn", found.join());
    position += Math.max(1, whole.length);
  }
  expect(problems, session).toEqual([]);
}
