import { afterAll, describe, expect, test } from "vitest";
import { isCheckpointError } from "../../src/index.ts";
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
 * seq, and has delivered nothing but a state that the log once was in.
 */
export function attackMatrix(create: () => TamperedStore): void {
  const rows: string[] = [];
  afterAll(() => console.log(["attack | tried | undetected", ...rows].join("\n")));

  describe.each(sealings)("$name", (sealing) => {
    test("detects everything that needs no anchor", async () => {
      const store = create();
      try {
        const scene = await createScene(store, sealing);
        const attacks = [
          ...byteAttacks(scene, store.name === "memory" ? [1, 2, 3, 4] : [2, 4]),
          ...(await foreignAttacks(scene)),
          ...orderAttacks(scene),
          ...rollbacks(scene),
        ];
        store.replace(victim, scene.log);
        const fresh = store.fingerprint();
        for (const attack of attacks) {
          const undetected = await run(store, scene, attack);
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
async function run(store: TamperedStore, scene: Scene, attack: Attack): Promise<number> {
  let undetected = 0;
  const wrong: string[] = [];
  for (const [index, forgery] of attack.forgeries.entries()) {
    store.replace(victim, forgery.records);
    const before = store.fingerprint();
    const outcome = await judge(scene, forgery);
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
  if (code === null) {
    return { accepted, fault: forwards.code === null ? null : `refused with ${forwards.code}` };
  }
  if (accepted) return { accepted, fault: "accepted" };
  const seq = forgery.seq ?? firstDifference(scene, forgery);
  if (forwards.code !== code || forwards.seq !== seq) {
    const met = `${forwards.code} at ${forwards.seq}`;
    return { accepted, fault: `wanted ${code} at ${seq}, met ${met}` };
  }
  return { accepted, fault: forwards.events.length === seq - 1 ? null : "delivers less" };
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
