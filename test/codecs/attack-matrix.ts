import { afterAll, describe, expect, test } from "vitest";
import { isCheckpointError, type Anchor } from "../../src/index.ts";
import type { Attack, Forgery } from "./attack.ts";
import { createScene, sealings, victim, type Scene } from "./attack-scene.ts";
import { byteAttacks } from "./byte-attacks.ts";
import { foreignAttacks } from "./foreign-attacks.ts";
import { orderAttacks, rollbacks } from "./order-attacks.ts";
import type { Handle, TamperedStore } from "./tampered-store.ts";

/**
 * Runs every attack on one kind of store, and prints how many of each were not detected.
 *
 * A reader detects an attack when it fails, forwards and backwards, with the right code at the right
 * seq, and has delivered nothing but a state that the log once was in. With an anchor nothing may go
 * undetected, and what a reader alone would accept has to be `ANCHOR_MISMATCH`.
 */
export function attackMatrix(create: () => TamperedStore, createAnchor?: () => Anchor): void {
  const isAnchored = createAnchor !== undefined;
  const rows: string[] = [];
  const title = `attack${isAnchored ? " with an anchor" : ""} | tried | undetected`;
  afterAll(() => console.log([title, ...rows].join("\n")));

  describe.each(sealings)("$name", (sealing) => {
    test(`detects everything${isAnchored ? "" : " that needs no anchor"}`, async () => {
      const store = create();
      try {
        const scene = await createScene(store, sealing, createAnchor?.());
        const attacks = [
          ...byteAttacks(scene, store.name === "memory" ? [1, 2, 3, 4] : [2, 4]),
          ...(await foreignAttacks(scene)),
          ...orderAttacks(scene),
          ...rollbacks(scene),
        ];
        store.replace(victim, scene.log);
        const fresh = store.fingerprint();
        for (const attack of attacks) {
          const undetected = await run(store, scene, attack, isAnchored);
          if (isAnchored) expect(undetected, attack.name).toBe(0);
          rows.push(
            `${store.name}, ${sealing.name}: ${attack.name} | ${attack.forgeries.length} | ${undetected}`,
          );
        }
        store.replace(victim, scene.log);
        expect(store.fingerprint()).toBe(fresh);
        const { events } = await readAll(scene.handle, false);
        expect(events.map(({ event }) => event)).toEqual(scene.states.at(-1));
      } finally {
        await store.dispose();
      }
    }, 300_000);
  });
}

/** Tries every forgery of an attack; returns how many a reader accepted, which is right for some. */
async function run(
  store: TamperedStore,
  scene: Scene,
  attack: Attack,
  isAnchored: boolean,
): Promise<number> {
  let undetected = 0;
  const wrong: string[] = [];
  for (const [index, forgery] of attack.forgeries.entries()) {
    store.replace(victim, forgery.records);
    const before = store.fingerprint();
    const outcome = await judge(scene, forgery, isAnchored);
    if (outcome.accepted) undetected += 1;
    if (outcome.fault !== null) wrong.push(`${attack.name}, case ${index}: ${outcome.fault}`);
    if (store.fingerprint() !== before) wrong.push(`${attack.name}, case ${index}: bytes changed`);
  }
  expect(wrong).toEqual([]);
  return undetected;
}

/** Reads both ways, and says what is not as it should be. */
async function judge(
  scene: Scene,
  forgery: Forgery,
  isAnchored: boolean,
): Promise<{ accepted: boolean; fault: string | null }> {
  const forwards = await readAll(scene.handle, false);
  const backwards = await readAll(scene.handle, true);
  const accepted = forwards.code === null || backwards.code === null;
  const { code } = forgery;
  const { states } = scene;
  const wasOnce = ({ events }: Read): boolean =>
    states.some((state) => events.every(({ seq, event }) => state[seq - 1] === event));
  if (!wasOnce(forwards)) return { accepted, fault: "delivers what never was" };
  if (!wasOnce(backwards)) return { accepted, fault: "delivers backwards what never was" };
  if (isAnchored && forwards.code === "ANCHOR_MISMATCH") {
    return { accepted, fault: forwards.events.length === 0 ? null : "delivers and then refuses" };
  }
  if (isAnchored && code === null) return { accepted, fault: `met ${forwards.code}` };
  if (code === null) {
    return { accepted, fault: forwards.code === null ? null : `refused with ${forwards.code}` };
  }
  if (accepted) return { accepted, fault: "accepted" };
  const seq = forgery.seq ?? firstDifference(scene, forgery);
  // To find the anchor's record among forged ones, a store may look at another one first.
  const isOther = isAnchored && code === "CORRUPT_LOG" && forwards.events.length === 0;
  if (forwards.code !== code || (forwards.seq !== seq && !isOther)) {
    const met = `${forwards.code} at ${forwards.seq}`;
    return { accepted, fault: `wanted ${code} at ${seq}, met ${met}` };
  }
  const isWhole = forwards.events.length === seq - 1;
  return { accepted, fault: isWhole || isOther ? null : "delivers less" };
}

function firstDifference({ log }: Scene, { records }: Forgery): number {
  const index = log.findIndex(({ seq, ts, payload }, place) => {
    const other = records[place];
    if (other?.seq !== seq || other.ts !== ts) return true;
    if (typeof payload === "string" || typeof other.payload === "string") return true;
    return Buffer.compare(payload, other.payload) !== 0;
  });
  return index + 1;
}

/** What a read delivers, and how it ends. */
interface Read {
  readonly events: ReadonlyArray<{ readonly seq: number; readonly event: string }>;
  readonly code: string | null;
  readonly seq: number | null;
}

async function readAll(handle: Handle, reverse: boolean): Promise<Read> {
  const events: Array<{ seq: number; event: string }> = [];
  try {
    for await (const { seq, event } of handle.read(victim, { reverse })) {
      events.push({ seq, event: JSON.stringify(event) });
    }
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    const { seq = null } = error as { seq?: number | null };
    return { events, code: error.code, seq };
  }
  return { events, code: null, seq: null };
}
