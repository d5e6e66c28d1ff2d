/**
 * Goal: whatever happens to the bytes of a real session, no event is ever wrong. Method: sample
 * sessions are stored in small appends, their logs are changed by seeded mutations, and everything
 * that reads is asked. Allowed is a prefix of whole appends, then the end or an error with a code.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { isCheckpointError, type Checkpointer, type EventObject } from "../../src/index.ts";
import { mutate } from "./mutate.ts";
import { sampleFiles } from "./sample-files.ts";

const cases = 50;
const eventsPerAppend = 4;
const maxEvents = 200;
const samples = sampleFiles();
const root = mkdtempSync(join(tmpdir(), "checkpointer-mutations-"));

afterAll(() => rmSync(root, { recursive: true }));

/** Opens a store that expects damage and says nothing about it. */
function open(dir: string): Checkpointer<EventObject> {
  return fileCheckpointer<EventObject>({ dir, durability: "process", onTornTail: () => undefined });
}

/** Events of real files, from the fewest to the most. */
function realSessions(): EventObject[][] {
  return (samples ?? [])
    .map(({ records }) => (records ?? []).filter(isObject).slice(0, maxEvents))
    .filter((events) => events.length > 2 * eventsPerAppend);
}

function isObject(value: unknown): value is EventObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function store(dir: string, events: readonly EventObject[]): Promise<void> {
  const checkpointer = open(dir);
  for (let from = 0; from < events.length; from += eventsPerAppend) {
    await checkpointer.append("s", events.slice(from, from + eventsPerAppend));
  }
  await checkpointer.close();
}

/** What a read gives before it ends or fails; `code` is null when it ends. */
async function readUntilDamage(
  checkpointer: Checkpointer<EventObject>,
): Promise<{ events: EventObject[]; code: string | null }> {
  const events: EventObject[] = [];
  try {
    for await (const { seq, event } of checkpointer.read("s")) {
      expect(seq).toBe(events.length + 1);
      events.push(event);
    }
    return { events, code: null };
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    return { events, code: error.code };
  }
}

function expectPrefix(met: readonly EventObject[], original: readonly EventObject[]): void {
  expect(JSON.stringify(met)).toBe(JSON.stringify(original.slice(0, met.length)));
  const whole = met.length % eventsPerAppend === 0 || met.length === original.length;
  expect(whole).toBe(true);
}

/** The newest events either are the newest of the prefix that forward reading gave, or an error. */
async function expectNewestFits(
  checkpointer: Checkpointer<EventObject>,
  original: readonly EventObject[],
): Promise<void> {
  try {
    for await (const { seq, event } of checkpointer.read("s", { reverse: true, limit: 3 })) {
      expect(JSON.stringify(event)).toBe(JSON.stringify(original[seq - 1]));
    }
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
  }
}

/**
 * An append lands right behind what can be read; or, when the damage is further in, behind the last
 * event of the log, which changes nothing about the damage; or it is refused with a code.
 */
async function expectAppendFits(
  checkpointer: Checkpointer<EventObject>,
  original: readonly EventObject[],
  before: { events: readonly EventObject[]; code: string | null },
): Promise<string> {
  const event = { type: "user", content: "after the damage" };
  let head: number;
  try {
    head = await checkpointer.append("s", [event]);
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    return error.code;
  }
  const { events, code } = await readUntilDamage(checkpointer);
  expect(code).toBe(before.code);
  if (code === null) {
    expect(head).toBe(before.events.length + 1);
    expect(JSON.stringify(events)).toBe(JSON.stringify([...before.events, event]));
    return "appended";
  }
  expect(head).toBe(original.length + 1);
  expect(JSON.stringify(events)).toBe(JSON.stringify(before.events));
  return "appended behind the damage";
}

describe.skipIf(samples === null)("a damaged log of a real session", () => {
  const sessions = realSessions();
  const outcomes = new Map<string, number>();

  afterAll(() => {
    const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).sort();
    console.log(`mutations: ${cases} cases; ${counts.join(", ")}`);
  });

  it.each(Array.from({ length: cases }, (_, index) => index))("case %i", async (index) => {
    const original = sessions[index % sessions.length] ?? [];
    const dir = join(root, `case-${index}`);
    await store(dir, original);
    const log = join(dir, "s.jsonl");
    const { what, bytes } = mutate(readFileSync(log), index);
    writeFileSync(log, bytes);
    const untouched = join(root, `copy-${index}`);
    mkdirSync(untouched);
    copyFileSync(log, join(untouched, "s.jsonl"));

    const checkpointer = open(dir);
    const before = await readUntilDamage(checkpointer);
    const { events, code } = before;
    expectPrefix(events, original);
    await expectNewestFits(checkpointer, original);
    for await (const report of checkpointer.verify("s")) {
      expect(report.records, what).toBe(events.length);
      expect(report.ok, what).toBe(code === null);
    }
    // Reading changes nothing.
    expect(readFileSync(log).equals(readFileSync(join(untouched, "s.jsonl")))).toBe(true);
    const appended = await expectAppendFits(checkpointer, original, before);
    await checkpointer.close();
    const outcome = `read to ${code ?? "the end"}, then ${appended}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  });
});
