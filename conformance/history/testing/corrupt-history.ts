import type { History, Operation } from "../history.ts";
import {
  edit,
  insertBeforeFinal,
  isAcknowledged,
  isRead,
  readOutcome,
  rewriteReads,
  type PlacedAppend,
  type ReadOperation,
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
    return withEvents(scene, read, (own) => own.with(at, own[at + 1] ?? "").with(at + 1, own[at] ?? ""));
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
    if (mayStillChange(scene) || one?.client !== "final" || !("head" in one.outcome)) return undefined;
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

/** What is wrong where logs only grow, so that the final log has everything. */
export const growingCorruptions: Readonly<Record<string, Corruption>> = {
  "an append dropped from the log"(scene) {
    const dropped = scene.random.pick(scene.placed.filter(hasAnswer));
    if (dropped === undefined) return undefined;
    return changeLog(scene, (ids) => ids.filter((id) => !dropped.ids.includes(id)));
  },
  "an append twice in the log"(scene) {
    const { random } = scene;
    const doubled = random.pick(scene.placed);
    const place = random.pick(scene.placed);
    if (doubled === undefined || place === undefined) return undefined;
    const at = Math.max(doubled.last, place.last);
    return changeLog(scene, (ids) =>
      ids.length < at ? ids : ids.toSpliced(at, 0, ...doubled.ids),
    );
  },
  "two appends swapped in the log"(scene) {
    const { placed, random } = scene;
    const pairs = placed.flatMap((one, index) => {
      const next = placed[index + 1];
      return next !== undefined && (hasAnswer(one) || hasAnswer(next)) ? [[one, next] as const] : [];
    });
    const [one, next] = random.pick(pairs) ?? [];
    if (one === undefined || next === undefined) return undefined;
    return changeLog(scene, (ids) =>
      ids.length < next.last
        ? ids
        : ids.toSpliced(one.last - one.ids.length, one.ids.length + next.ids.length, ...next.ids, ...one.ids),
    );
  },
  "an append moved in the log"(scene) {
    const { placed, random } = scene;
    const moved = random.pick(placed.filter(hasAnswer));
    const place = random.pick(placed.filter(({ last }) => moved !== undefined && last > moved.last));
    if (moved === undefined || place === undefined) return undefined;
    return changeLog(scene, (ids) => {
      if (ids.length < place.last) return ids;
      const others = ids.toSpliced(moved.last - moved.ids.length, moved.ids.length);
      return others.toSpliced(place.last - moved.ids.length, 0, ...moved.ids);
    });
  },
  "an append without its last event"(scene) {
    const torn = scene.random.pick(scene.placed.filter(({ ids }) => ids.length > 1));
    if (torn === undefined) return undefined;
    return changeLog(scene, (ids) => ids.filter((id) => id !== torn.ids.at(-1)));
  },
  "an append torn by the next one"(scene) {
    const { placed, random } = scene;
    const torn = random.pick(placed.slice(0, -1).filter(({ ids }) => ids.length > 1));
    if (torn === undefined) return undefined;
    const at = torn.last - 1;
    return changeLog(scene, (ids) =>
      ids.length <= torn.last ? ids : ids.with(at, ids[at + 1] ?? "").with(at + 1, ids[at] ?? ""),
    );
  },
  "a part of an append in a read"(scene) {
    const torn = scene.random.pick(scene.placed.filter(({ ids }) => ids.length > 1));
    const read = scene.random.pick(reads(scene).filter((own) => own !== scene.final));
    if (torn === undefined || read?.call.method !== "read") return undefined;
    if (read.call.sinceSeq >= torn.last - 1) return undefined;
    return edit(scene, read, { outcome: readUpTo(scene, read, torn.last - 1) });
  },
  "a stale read"(scene) {
    return impossibleRead(scene, (length, read) => isGone(scene, length, read));
  },
  "a read ahead of its time"(scene) {
    // A read that shows nothing may have seen less.
    return impossibleRead(scene, (length, read) => {
      return length > sinceOf(read) && isToCome(scene, length, read);
    });
  },
  "a wrong head"(scene) {
    const one = scene.random.pick(
      scene.operations.filter(({ call, outcome }) => call.method === "head" && "head" in outcome),
    );
    const head = impossibleHead(scene, one);
    if (one === undefined || head === undefined) return undefined;
    return edit(scene, one, { outcome: { status: "ok", head } });
  },
  "a wrong head of an append"(scene) {
    const one = scene.random.pick(scene.appends.filter(isAcknowledged));
    if (one === undefined || !("head" in one.outcome)) return undefined;
    const head = one.outcome.head + (scene.random.chance(0.5) ? 1 : -1);
    return edit(scene, one, { outcome: { status: "ok", head } });
  },
  "a conflict with a head of another time"(scene) {
    const one = scene.random.pick(
      scene.operations.filter(({ outcome }) => outcome.status === "conflict"),
    );
    const actual = impossibleHead(scene, one);
    if (one?.outcome.status !== "conflict" || actual === undefined) return undefined;
    return edit(scene, one, { outcome: { ...one.outcome, actual } });
  },
  "an append with a conflict in the log"(scene) {
    const one = scene.random.pick(
      scene.placed.flatMap(({ attempts }) =>
        attempts.filter(({ call, end }) => call.idempotencyKey === undefined && end !== null),
      ),
    );
    if (one === undefined) return undefined;
    const expected = one.call.expectedHead ?? 0;
    return edit(scene, one, {
      call: { ...one.call, expectedHead: expected },
      outcome: { status: "conflict", expected, actual: expected + 1 },
    });
  },
  "an append with a conflict that is called acknowledged"(scene) {
    const one = scene.random.pick(
      scene.appends.filter(({ call, outcome }) => {
        const isNot = outcome.status === "conflict" || outcome.status === "refused";
        return isNot && call.idempotencyKey === undefined;
      }),
    );
    if (one === undefined) return undefined;
    const head = (one.call.expectedHead ?? scene.final.outcome.events.length) + one.call.ids.length;
    return edit(scene, one, { outcome: { status: "ok", head } });
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
  if ("head" in outcome) return edit(scene, one, { outcome: { ...outcome, head: near(outcome.head) } });
  if (call.method !== "read" || !("events" in outcome)) {
    return edit(scene, one, { start: one.start - random.below(8), end: one.end });
  }
  const ids = outcome.events.map(({ id }) => id);
  const other = random.pick(random.pick(scene.appends)?.call.ids ?? []);
  const changed = random.chance(0.5) || other === undefined ? ids.slice(0, -1) : [...ids, other];
  const events = changed.map((id, index) => ({ seq: call.sinceSeq + 1 + index, id }));
  return edit(scene, one, { outcome: { status: "ok", events } });
}

function reads(scene: Scene): readonly ReadOperation[] {
  return scene.operations.filter(isRead);
}

/** A read that shows something. */
function pickRead(scene: Scene): ReadOperation | undefined {
  return scene.random.pick(reads(scene).filter(({ outcome }) => outcome.events.length > 0));
}

/** The history with other events in one read, whose seqs stay as they were. */
function withEvents(
  scene: Scene,
  read: ReadOperation,
  change: (ids: readonly string[]) => readonly string[],
): History {
  const first = read.outcome.events[0]?.seq ?? 1;
  const ids = change(read.outcome.events.map(({ id }) => id));
  const events = ids.map((id, index) => ({ seq: first + index, id }));
  return edit(scene, read, { outcome: { status: "ok", events } });
}

/** Changes the log: in every read of it, or in the last one only. */
function changeLog(
  scene: Scene,
  change: (ids: readonly string[]) => readonly string[],
): History {
  const changed = scene.random.chance(0.5) ? reads(scene) : [scene.final];
  return rewriteReads(scene, changed, change);
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

function hasAnswer({ attempts }: PlacedAppend): boolean {
  return attempts.some(isAcknowledged);
}

/** Whether a longer log than this was settled before the operation began. */
function isGone({ placed }: Scene, length: number, operation: Operation): boolean {
  return placed.some(
    ({ last, attempts }) =>
      last > length &&
      attempts.some((attempt) => isAcknowledged(attempt) && (attempt.end ?? Infinity) < operation.start),
  );
}

/** Whether a log of this length holds an append that began after the operation had ended. */
function isToCome({ placed }: Scene, length: number, { end }: Operation): boolean {
  return placed.some(
    ({ last, attempts }) =>
      last <= length && attempts.every(({ start }) => end !== null && start > end),
  );
}

/** A head that the log cannot have had while the operation ran. */
function impossibleHead(scene: Scene, operation: Operation | undefined): number | undefined {
  if (operation === undefined) return undefined;
  const { length } = scene.final.outcome.events;
  const isState = new Set([0, ...scene.placed.map(({ last }) => last)]);
  const heads = Array.from({ length: length + 3 }, (_, head) => head).filter((head) => {
    if (head > length) return operation.end !== null && operation.end < scene.final.start;
    return !isState.has(head) || isGone(scene, head, operation) || isToCome(scene, head, operation);
  });
  return scene.random.pick(heads);
}

function readUpTo(scene: Scene, read: ReadOperation, length: number): Operation["outcome"] {
  const ids = scene.final.outcome.events.map(({ id }) => id);
  return readOutcome(ids.slice(0, length), sinceOf(read));
}

function sinceOf({ call }: Operation): number {
  return call.method === "read" ? call.sinceSeq : 0;
}

/** A read of the log at a length for which it is too late or too early. */
function impossibleRead(
  scene: Scene,
  isImpossible: (length: number, read: ReadOperation) => boolean,
): History | undefined {
  const { random, placed } = scene;
  const choices = reads(scene).flatMap((read) => {
    return placed
      .filter(({ last }) => last >= sinceOf(read) && isImpossible(last, read))
      .map(({ last }) => ({ read, last }));
  });
  const choice = random.pick(choices);
  if (choice === undefined) return undefined;
  return edit(scene, choice.read, { outcome: readUpTo(scene, choice.read, choice.last) });
}
