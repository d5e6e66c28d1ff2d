// Goal: whatever call a process dies or stops at, keys are never lost or half written, a shred
// leaves no wrapped byte behind once it has been repeated, and a late process spares what came
// after it.

import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionKeys, WrappedKey } from "../../src/index.ts";
import type { KeyStoreStep } from "../../test/codecs/key-store-child.ts";
import {
  filesWith,
  startKeyStoreChild,
  temporaryDirectory,
} from "../../test/codecs/key-store-children.ts";
import { someKey } from "../../test/codecs/key-store-rules.ts";
import { fileKeyStore } from "./index.ts";

const before = someKey();
const added = someKey();
const scenes: ReadonlyArray<{
  name: string;
  prepare: readonly KeyStoreStep[];
  step: KeyStoreStep;
}> = [
  { name: "a first key", prepare: [], step: spell("add", added) },
  {
    name: "a new wrapping",
    prepare: [spell("add", before)],
    step: spell("replace", { ...added, id: before.id }),
  },
  {
    name: "a shred",
    prepare: [spell("add", before), spell("add", added)],
    step: spell("shred"),
  },
  { name: "a revival", prepare: [spell("add", before), spell("shred")], step: spell("revive") },
];

test.each(scenes)("$name survives a kill -9 at each of its calls", async ({ prepare, step }) => {
  const run = async (dir: string, steps: readonly KeyStoreStep[], at: number) => {
    const faults = [{ at, act: "kill-before" as const }];
    const child = await startKeyStoreChild({ kind: "file", path: dir, steps, faults });
    return child.run();
  };
  const states = new Set<string>();
  let killed = 0;
  for (let at = 1; ; at += 1) {
    const dir = join(temporaryDirectory(), "keys");
    const store = fileKeyStore({ dir });
    for (const each of prepare) await apply(store, each);
    const old = await store.get("s");
    const answers = await run(dir, [step], at);
    const left = await store.get("s");
    states.add(JSON.stringify(left));
    if (answers !== null) {
      expect(JSON.stringify(left)).not.toBe(JSON.stringify(old));
      break;
    }
    killed += 1;
    // The dead process's lock counts as left behind from now on, and not only after a while.
    const lock = join(dir, "s.keys.lock");
    if (existsSync(lock)) utimesSync(lock, 0, 0);
    await apply(store, step);
    const done = await store.get("s");
    expect(await fileKeyStore({ dir }).get("s")).toEqual(done);
    if (step.name === "shred") {
      expect(done).toEqual({ shredded: true, keys: [] });
      for (const { wrapped } of [before, added]) expect(filesWith(dir, wrapped)).toEqual([]);
    }
    // What a dead process leaves behind goes with the next change, and a revival that is done is
    // none.
    if (step.name !== "revive") expect(readdirSync(dir)).toEqual(["s.keys"]);
  }
  expect(killed).toBeGreaterThan(8);
  // What is left is the state before or the state after, and both were met.
  expect(states.size).toBe(2);
});

/**
 * A process stops at call `at` for so long that another one takes its lock over and does
 * `meanwhile`, and then wakes up.
 *
 * @returns null when the process was done before
 */
async function interrupt<T>(
  dir: string,
  step: KeyStoreStep,
  at: number,
  meanwhile: () => Promise<T>,
): Promise<T | null> {
  const faults = [{ at, act: "stop" as const }];
  const child = await startKeyStoreChild({ kind: "file", path: dir, steps: [step], faults });
  const answers = child.run();
  if (!(await child.stops())) return null;
  const lock = join(dir, "s.keys.lock");
  if (existsSync(lock)) utimesSync(lock, 0, 0);
  const result = await meanwhile();
  child.process.kill("SIGCONT");
  const answer = await answers;
  expect(answer).toEqual([step.name === "add" ? true : null]);
  return result;
}

test("a process that stops while it adds, and wakes up late, loses nothing", async () => {
  for (let at = 1; ; at += 1) {
    const dir = join(temporaryDirectory(), "keys");
    const store = fileKeyStore({ dir });
    await store.add("s", before);
    const other = someKey();
    const met = await interrupt(dir, spell("add", added), at, () => store.add("s", other));
    if (met === null) {
      expect(at).toBeGreaterThan(8);
      break;
    }
    expect(idsOf((await store.get("s")).keys)).toEqual(idsOf([before, added, other]));
  }
});

test("a process that stops while it shreds, and wakes late, spares what came after", async () => {
  const outcomes = new Set<string>();
  for (let at = 1; ; at += 1) {
    const dir = join(temporaryDirectory(), "keys");
    const store = fileKeyStore({ dir });
    await store.add("s", before);
    const other = someKey();
    const met = await interrupt(dir, spell("shred"), at, async () => {
      const { shredded } = await store.get("s");
      await store.revive("s");
      await store.add("s", other);
      return shredded;
    });
    if (met === null) {
      expect(at).toBeGreaterThan(8);
      break;
    }
    // The shred came before the revival, or it comes after the key.
    const { shredded, keys } = await store.get("s");
    expect(shredded).toBe(!met);
    expect(idsOf(keys)).toEqual(met ? [other.id] : []);
    expect(filesWith(dir, before.wrapped)).toEqual([]);
    outcomes.add(String(shredded));
  }
  expect(outcomes.size).toBe(2);
});

test("processes that add to one session at the same time all succeed", async () => {
  const dir = join(temporaryDirectory(), "keys");
  const keys = Array.from({ length: 40 }, () => someKey());
  const children = await Promise.all(
    [0, 1, 2, 3].map((part) => {
      const own = keys.filter((_, index) => index % 4 === part);
      const steps = own.map((key) => spell("add", key));
      return startKeyStoreChild({ kind: "file", path: dir, steps, faults: [] });
    }),
  );
  const answers = await Promise.all(children.map((child) => child.run()));
  expect(answers.flat()).toEqual(keys.map(() => true));
  const { keys: found } = await fileKeyStore({ dir }).get("s");
  expect(idsOf(found)).toEqual(idsOf(keys));
  expect(readdirSync(dir)).toEqual(["s.keys"]);
});

function idsOf(keys: SessionKeys["keys"]): string[] {
  return keys.map(({ id }) => id).toSorted();
}

function spell(name: KeyStoreStep["name"], key?: WrappedKey): KeyStoreStep {
  if (key === undefined) return { name, sessionId: "s" };
  const wrapped = Buffer.from(key.wrapped).toString("hex");
  return { name, sessionId: "s", key: { id: key.id, wrapped } };
}

async function apply(store: ReturnType<typeof fileKeyStore>, step: KeyStoreStep): Promise<void> {
  const wrapped = Uint8Array.from(Buffer.from(step.key?.wrapped ?? "", "hex"));
  const id = step.key?.id ?? randomBytes(8).toString("hex");
  const key = { id, wrapperId: "child", wrapped, created: "" };
  if (step.name === "add") await store.add(step.sessionId, key);
  else if (step.name === "replace") await store.replace(step.sessionId, [key]);
  else await store[step.name](step.sessionId);
}
