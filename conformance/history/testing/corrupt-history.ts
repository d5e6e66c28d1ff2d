import type { History } from "../history.ts";
import {
  edit,
  insertBeforeFinal,
  isAcknowledged,
  pickRead,
  withEvents,
  type Scene,
} from "./scene.ts";

/** Makes one thing wrong; undefined where a session has nothing of the kind. */
export type Corruption = (scene: Scene) => History | undefined;

/** What is wrong in any history, whether its logs get shorter or not. */
export const corruptions: Readonly<Record<string, Corruption>> = {
  "an event twice in a read"({ random, ...rest }) {
    const scene = { random, ...rest };
    const read = pickRead(scene);
    const event = random.pick(read?.outcome.events.filter(({ id }) => !isKeyed(scene, id)) ?? []);
    if (read === undefined || event === undefined) return undefined;
    return withEvents(scene, read, (ids) => ids.toSpliced(random.below(ids.length), 0, event.id));
  },
  "an event that nobody appended"(scene) {
    const read = pickRead(scene);
    if (read === undefined) return undefined;
    return withEvents(scene, read, (ids) => ids.with(scene.random.below(ids.length), "nobody's"));
  },
  "a read that is shifted by one"(scene) {
    const read = pickRead(scene);
    if (read === undefined) return undefined;
    const events = read.outcome.events.map(({ seq, id }) => ({ seq: seq + 1, id }));
    return edit(scene, read, { outcome: { status: "ok", events } });
  },
  "two events of one append swapped"(scene) {
    const read = pickRead(scene);
    const ids = read?.outcome.events.map(({ id }) => id) ?? [];
    const pairs = ids.flatMap((id, index) => {
      const next = ids[index + 1] ?? "";
      const isPair = scene.appends.some(
        ({ call }) => call.ids.includes(id) && call.ids.includes(next),
      );
      return isPair && !isKeyed(scene, id) ? [index] : [];
    });
    const at = scene.random.pick(pairs);
    if (read === undefined || at === undefined) return undefined;
    return withEvents(scene, read, (own) =>
      own.with(at, own[at + 1] ?? "").with(at + 1, own[at] ?? ""),
    );
  },
  "an append that was read and refused"(scene) {
    const read = pickRead(scene);
    const seen = new Set(read?.outcome.events.map(({ id }) => id));
    const append = scene.random.pick(
      scene.appends.filter(({ call, end }) => {
        const isOwn = call.idempotencyKey === undefined && end !== null;
        return isOwn && call.ids.some((id) => seen.has(id));
      }),
    );
    if (append === undefined) return undefined;
    return edit(scene, append, { outcome: { status: "refused", code: "BUSY" } });
  },
  "an event from the future"(scene) {
    const read = pickRead(scene);
    const later = scene.random.pick(
      scene.appends.filter(({ call, start }) => {
        const isOwn = call.idempotencyKey === undefined;
        return isOwn && start > (read?.end ?? Infinity);
      }),
    );
    const id = later?.call.ids[0];
    if (read === undefined || id === undefined) return undefined;
    return withEvents(scene, read, (ids) => ids.with(-1, id));
  },
  "a conflict with what was expected"(scene) {
    const one = scene.random.pick(
      scene.operations.filter(({ outcome }) => outcome.status === "conflict"),
    );
    if (one?.outcome.status !== "conflict") return undefined;
    return edit(scene, one, { outcome: { ...one.outcome, actual: one.outcome.expected } });
  },
  "a conflict of an unconditional append"(scene) {
    const one = scene.random.pick(
      scene.appends.filter(({ outcome }) => outcome.status === "conflict"),
    );
    if (one === undefined) return undefined;
    return edit(scene, one, { call: { ...one.call, expectedHead: undefined } });
  },
  "a conditional append that won elsewhere"(scene) {
    const one = scene.random.pick(
      scene.appends.filter(
        ({ call, outcome }) =>
          outcome.status === "ok" &&
          call.expectedHead !== undefined &&
          call.idempotencyKey === undefined,
      ),
    );
    const expected = one?.call.expectedHead;
    if (one === undefined || expected === undefined) return undefined;
    const elsewhere = expected === 0 || scene.random.chance(0.5) ? expected + 1 : expected - 1;
    return edit(scene, one, { call: { ...one.call, expectedHead: elsewhere } });
  },
  "a head too small for its own append"(scene) {
    const one = scene.random.pick(scene.appends.filter(isAcknowledged));
    if (one === undefined) return undefined;
    const head = scene.random.below(one.call.ids.length);
    return edit(scene, one, { outcome: { status: "ok", head } });
  },
  "a head beyond everything that was appended"(scene) {
    const one = scene.random.pick(scene.operations.filter(({ outcome }) => "head" in outcome));
    if (one === undefined) return undefined;
    const total = scene.appends.reduce((sum, { call }) => sum + call.ids.length, 0);
    return edit(scene, one, { outcome: { status: "ok", head: total + 1 } });
  },
  "a final read without its last event"(scene) {
    if (mayStillChange(scene) || scene.final.outcome.events.length === 0) return undefined;
    return withEvents(scene, scene.final, (ids) => ids.slice(0, -1));
  },
  "a wrong final head"(scene) {
    const one = scene.operations.findLast(({ call }) => call.method === "head");
    if (mayStillChange(scene) || one?.client !== "final" || !("head" in one.outcome))
      return undefined;
    const { head } = one.outcome;
    const wrong = head === 0 || scene.random.chance(0.5) ? head + 1 : head - 1;
    return edit(scene, one, { outcome: { status: "ok", head: wrong } });
  },
  "an acknowledged append that is nowhere"(scene) {
    if (mayStillChange(scene)) return undefined;
    const head = scene.final.outcome.events.length + 1;
    return insertBeforeFinal(scene, {
      call: { method: "append", ids: ["nowhere"] },
      outcome: { status: "ok", head },
    });
  },
};

/** What is wrong where logs are cut or deleted. */
export const shorteningCorruptions: Readonly<Record<string, Corruption>> = {
  "a truncate without effect"(scene) {
    const { length } = scene.final.outcome.events;
    if (mayStillChange(scene) || length === 0) return undefined;
    const call = { method: "truncate", toSeq: scene.random.below(length) } as const;
    return insertBeforeFinal(scene, { call, outcome: { status: "ok" } });
  },
  "a delete without effect"(scene) {
    if (mayStillChange(scene) || scene.final.outcome.events.length === 0) return undefined;
    return insertBeforeFinal(scene, { call: { method: "delete" }, outcome: { status: "ok" } });
  },
};

/**
 * Changes one answer at random. The result may be right or wrong, which only a check of all orders
 * can tell.
 */
export function blurHistory(scene: Scene): History | undefined {
  const { random, operations } = scene;
  const one = random.pick(operations.filter(({ outcome }) => outcome.status !== "unknown"));
  if (one === undefined) return undefined;
  const { outcome, call } = one;
  const near = (value: number): number => Math.max(0, value + random.below(5) - 2);
  if (outcome.status === "conflict") {
    return edit(scene, one, { outcome: { ...outcome, actual: near(outcome.actual) } });
  }
  if ("head" in outcome)
    return edit(scene, one, { outcome: { ...outcome, head: near(outcome.head) } });
  if (call.method !== "read" || !("events" in outcome)) {
    return edit(scene, one, { start: one.start - random.below(8), end: one.end });
  }
  const ids = outcome.events.map(({ id }) => id);
  const other = random.pick(random.pick(scene.appends)?.call.ids ?? []);
  const changed = random.chance(0.5) || other === undefined ? ids.slice(0, -1) : [...ids, other];
  const events = changed.map((id, index) => ({ seq: call.sinceSeq + 1 + index, id }));
  return edit(scene, one, { outcome: { status: "ok", events } });
}

function isKeyed(scene: Scene, id: string): boolean {
  return scene.appends.some(
    ({ call }) => call.idempotencyKey !== undefined && call.ids.includes(id),
  );
}

/** Whether a call without an answer can have had an effect that only the end of the history shows. */
function mayStillChange(scene: Scene): boolean {
  return scene.operations.some(
    ({ call, outcome }) =>
      outcome.status === "unknown" && call.method !== "read" && call.method !== "head",
  );
}
