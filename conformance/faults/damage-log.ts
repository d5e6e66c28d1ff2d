import { readFileSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { isCheckpointError } from "../../src/index.ts";
import { Violation } from "../check.ts";
import type { Context } from "../context.ts";
import { id, numbered, type Handle } from "../session-state.ts";

/** A log with the places where its appends end. */
interface SampleLog {
  readonly path: string;
  readonly bytes: Buffer;
  /** Bytes after each append. */
  readonly ends: readonly number[];
  /** The event of each append. */
  readonly events: readonly string[];
}

/** Appends of one event each, of different lengths, with a look at the file after each. */
async function writeSample(context: Context, appends: number): Promise<SampleLog> {
  const { fixture } = context;
  const ends: number[] = [];
  const events: string[] = [];
  const handle = await context.open();
  await handle.append("other", numbered(1, 3));
  for (let n = 1; n <= appends; n += 1) {
    const event = { n, text: "x".repeat(n * 3) };
    await handle.append(id, [event]);
    events.push(JSON.stringify(event));
    ends.push(readFileSync((await fixture.logFile?.(id)) ?? "").length);
  }
  await context.closeAll();
  const path = (await fixture.logFile?.(id)) ?? "";
  return { path, bytes: readFileSync(path), ends, events };
}

/** What a session yields, and what it ends with. */
interface Reading {
  readonly events: readonly string[];
  readonly error: unknown;
}

async function readingOf(handle: Handle, sessionId: string = id): Promise<Reading> {
  const events: string[] = [];
  try {
    for await (const { event } of handle.read(sessionId)) events.push(JSON.stringify(event));
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

/**
 * Cuts the last append at every byte. What was acknowledged before is there, nothing of the cut one
 * is, twice the same; and the next append starts where the log ends now.
 *
 * @param missing - how many bytes to cut off at least and at most; default: all of the append but one
 */
export async function tearLog(
  context: Context,
  missing?: { readonly least: number; readonly most: number },
): Promise<void> {
  const sample = await writeSample(context, 4);
  const { path, bytes, events } = sample;
  const start = sample.ends.at(-2) ?? 0;
  const least = missing?.least ?? 2;
  const most = Math.min(missing?.most ?? Infinity, bytes.length - start);
  for (let cut = least; cut <= most; cut += 1) {
    writeFileSync(path, bytes.subarray(0, bytes.length - cut));
    const where = `with ${cut} bytes cut off`;
    const handle = await context.reopen();
    const first = await readingOf(handle);
    context.check.same(first.error, null, where);
    context.check.equal(await readingOf(handle), first, `${where}, read twice`);
    const whole = first.events.length === events.length;
    const wanted = whole && cut === 1 ? events : events.slice(0, -1);
    context.check.equal(first.events, wanted, where);
    const head = await handle.append(id, numbered(99, 99));
    context.check.same(head, wanted.length + 1, `${where}: the next append`);
    const later = await readingOf(await context.reopen());
    const next = JSON.stringify(numbered(99, 99)[0]);
    context.check.equal(later, { events: [...wanted, next], error: null }, `${where}, later`);
    await context.closeAll();
  }
  context.note(`cut at ${most - least + 1} bytes`);
}

/** Damage, with the append that it starts in, counted from 0. */
interface Damage {
  readonly what: string;
  readonly bytes: Buffer;
  readonly from: number;
}

/**
 * Damages a log in its middle in many ways. Reading yields what comes before, unchanged, and then a
 * typed error; a session beside it is as it was.
 */
export async function damageLog(context: Context): Promise<void> {
  const sample = await writeSample(context, 12);
  const all = [...structuralDamage(sample), ...flippedBits(context, sample)];
  let detected = 0;
  for (const { what, bytes, from } of all) {
    writeFileSync(sample.path, bytes);
    const handle = await context.reopen();
    const { events, error } = await readingOf(handle);
    if (error === null) {
      // Only where the change means nothing to the format.
      context.check.equal(events, sample.events, `${what} is noticed, or makes no difference`);
    } else {
      detected += 1;
      allowDamage(error, what);
      context.check.equal(events, sample.events.slice(0, events.length), `${what}: what is read`);
      context.check.ok(events.length <= from + 1, `${what}: nothing is read behind the damage`);
    }
    const other = await readingOf(handle, "other");
    context.check.same(other.error, null, `${what}: the session beside it`);
    context.check.same(other.events.length, 3, `${what}: the session beside it`);
    await context.closeAll();
  }
  writeFileSync(sample.path, sample.bytes);
  context.note(`${detected} of ${all.length} damages reported, the others without effect`);
  context.check.ok(detected > 0, "damage is reported");
}

/** Throws unless an error is one that tells of damage. */
export function allowDamage(error: unknown, what: string): void {
  const codes = [
    "CORRUPT_LOG",
    "UNSUPPORTED_FORMAT",
    "AUTH_FAILED",
    "WRONG_KEY",
    "DECODE_FAILED",
    "KEY_UNKNOWN",
    "PLAINTEXT_IN_SEALED_LOG",
    "SEALED_IN_PLAIN_LOG",
  ] as const;
  if (codes.some((code) => isCheckpointError(error, code))) return;
  throw new Violation(`${what} gives ${String(error)}, wanted CORRUPT_LOG`, { cause: error });
}

function* structuralDamage({ bytes, ends }: SampleLog): Generator<Damage, void, void> {
  const record = (index: number): Buffer => bytes.subarray(ends[index - 1] ?? 0, ends[index]);
  const before = (index: number): Buffer => bytes.subarray(0, ends[index - 1]);
  const behind = (index: number): Buffer => bytes.subarray(ends[index]);
  for (const index of [1, 5, 10]) {
    yield {
      what: `append ${index} taken out`,
      from: index,
      bytes: Buffer.concat([before(index), behind(index)]),
    };
    yield {
      what: `append ${index} there twice`,
      from: index + 1,
      bytes: Buffer.concat([before(index), record(index), record(index), behind(index)]),
    };
    yield {
      what: `append ${index} and the next one swapped`,
      from: index,
      bytes: Buffer.concat([before(index), record(index + 1), record(index), behind(index + 1)]),
    };
    const zeros = Buffer.from(bytes);
    zeros.fill(0, ends[index - 1], ends[index]);
    yield { what: `append ${index} full of zeros`, from: index, bytes: zeros };
    const block = Buffer.from(bytes);
    block.fill(0, (ends[index - 1] ?? 0) + 3, (ends[index] ?? 0) + 3);
    yield { what: `zeros across the end of append ${index}`, from: index, bytes: block };
  }
}

/** Seeded places, one flipped bit each, all before the last append, which a crash may have cut. */
function* flippedBits(context: Context, { bytes, ends }: SampleLog): Generator<Damage, void, void> {
  const last = ends.at(-2) ?? 1;
  const places = fc.sample(fc.tuple(fc.nat(last - 1), fc.nat(7)), {
    seed: context.budget.seed,
    numRuns: Math.max(1, Math.round(200 * context.budget.effort)),
  });
  for (const [offset, bit] of places) {
    const flipped = Buffer.from(bytes);
    flipped[offset] = (flipped[offset] ?? 0) ^ (1 << bit);
    const from = ends.findIndex((end) => offset < end);
    yield { what: `bit ${bit} of byte ${offset} flipped`, bytes: flipped, from };
  }
}

/** Leaves three events and a fourth that lacks its last `missing` bytes. */
export async function tearTail(context: Context, missing: number): Promise<void> {
  const handle = await context.open();
  for (const event of numbered(1, 4)) await handle.append(id, [event]);
  await context.closeAll();
  const path = (await context.fixture.logFile?.(id)) ?? "";
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length - missing));
}

/** Flips a bit in the middle of the session's log. */
export async function damageMiddle(context: Context): Promise<void> {
  const path = (await context.fixture.logFile?.(id)) ?? "";
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
