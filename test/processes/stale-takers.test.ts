// Goal: writers that all find the same stale lock never commit over each other. The lock library takes
// a stale lock over by stat, rmdir and mkdir, so one that is late removes the lock of one that was
// faster (moxystudio/node-proper-lockfile#121). Method: every writer waits before its rmdir until all
// have arrived there; then they go on in a seeded order, with seeded pauses at every later call.

import { mkdirSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileCheckpointer, type FilePort } from "../../adapters/file/index.ts";
import type { Checkpointer } from "../../src/index.ts";
import { hookPort } from "./faulty-port.ts";
import { answerOf } from "./model.ts";
import { seededRandom } from "../../bench/seeded-random.ts";
import { below } from "./random.ts";
import { eventOf, staleMs, type TestEvent } from "./script.ts";
import { idsOf, leftovers, makeFastTempDir, removeTempDir, stateOf } from "./store-state.ts";

const seed = 7_001;
const rounds = process.env["SOAK"] === "1" ? 2_000 : 60;
const takers = 3;

let dir: string;
/** How often a writer moved the directory of one away that was still at work. */
let replaced = 0;

beforeEach(() => void (dir = makeFastTempDir()));
afterEach(() => removeTempDir(dir));

/** Opens once `count` have arrived. */
function createGate(count: number): () => Promise<void> {
  let arrived = 0;
  const waiting: Array<() => void> = [];
  return () => {
    arrived += 1;
    if (arrived < count) return new Promise((resolve) => void waiting.push(resolve));
    for (const go of waiting.splice(0)) go();
    return Promise.resolve();
  };
}

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const deadToken = "0123456789abcdef";

function takerPort(gate: () => Promise<void>, random: () => number): FilePort {
  let parked = false;
  return hookPort({
    before({ name, args }) {
      const from = String(args[0]);
      const takesOver = name === "renameSync" && !from.endsWith(".jsonl");
      if (takesOver && dirname(from).endsWith(".owner") && basename(from) !== deadToken)
        replaced += 1;
    },
    async hold({ name }) {
      if (name === "rmdir" && !parked) {
        parked = true;
        await gate();
      }
      // Mostly short ones and now and then a long one, so that a slow writer meets many fast ones.
      await pause(below(random, below(random, 3) === 0 ? 150 : 10));
    },
  });
}

/** What an owner leaves that died long ago, with its log if there is one. */
function leaveDeadOwner(session: string): void {
  const lock = join(dir, `${session}.lock`);
  mkdirSync(lock, { recursive: true });
  mkdirSync(join(dir, `${session}.owner`, deadToken), { recursive: true });
  utimesSync(lock, 1_000, 1_000);
}

async function race(
  round: number,
  work: (taker: Checkpointer<TestEvent>, name: number) => Promise<number | null>,
): Promise<Array<number | string | null>> {
  const random = seededRandom(seed + round);
  leaveDeadOwner(`s${round}`);
  const gate = createGate(takers);
  const handles = Array.from({ length: takers }, () =>
    fileCheckpointer<TestEvent>({
      dir,
      lockStaleMs: staleMs,
      lockLingerMs: 0,
      port: takerPort(gate, random),
    }),
  );
  const answers = await Promise.all(
    handles.map((handle, name) => answerOf(() => work(handle, name))),
  );
  for (const handle of handles) await handle.close();
  return answers;
}

async function read(session: string): Promise<string[]> {
  const reader = fileCheckpointer<TestEvent>({ dir });
  const ids = await idsOf(reader, session);
  await reader.close();
  return ids;
}

test("append: every one lands once", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const answers = await race(round, (taker, name) =>
      taker.append(`s${round}`, [eventOf(`t${name}a`), eventOf(`t${name}b`)]),
    );
    const ids = await read(`s${round}`);
    const where = `seed ${seed}, round ${round}: ${answers.join()} and ${ids.join()}`;
    expect(ids.length, where).toBe(takers * 2);
    for (const [name, head] of answers.entries()) {
      expect(ids.slice(Number(head) - 2, Number(head)), where).toEqual([`t${name}a`, `t${name}b`]);
    }
  }
  const reader = fileCheckpointer<TestEvent>({ dir });
  expect(Object.keys(await stateOf(reader)).length).toBe(rounds);
  expect(leftovers(dir)).toEqual([]);
  console.log(
    `stale takers: ${rounds} rounds x ${takers} takers (seed ${seed}), ${replaced} replaced at ` +
      "work, 0 lost, 0 doubled",
  );
  expect(replaced, "the race took place").toBeGreaterThan(0);
});

test("compare-and-swap: exactly one lands", async () => {
  for (let round = 0; round < rounds; round += 1) {
    const answers = await race(round, (taker, name) =>
      taker.append(`s${round}`, [eventOf(`t${name}`)], 0),
    );
    const winners = answers.flatMap((answer, name) => (answer === 1 ? [`t${name}`] : []));
    const where = `seed ${seed}, round ${round}: ${answers.join()}`;
    expect(winners.length, where).toBe(1);
    expect(answers.filter((answer) => answer === "CONFLICT").length, where).toBe(takers - 1);
    expect(await read(`s${round}`), where).toEqual(winners);
  }
});
