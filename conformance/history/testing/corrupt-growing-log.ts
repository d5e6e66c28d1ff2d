import type { History, Operation } from "../history.ts";
import type { Corruption } from "./corrupt-history.ts";
import {
  edit,
  isAcknowledged,
  readOutcome,
  reads,
  rewriteReads,
  type PlacedAppend,
  type ReadOperation,
  type Scene,
} from "./scene.ts";

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
      return next !== undefined && (hasAnswer(one) || hasAnswer(next))
        ? [[one, next] as const]
        : [];
    });
    const [one, next] = random.pick(pairs) ?? [];
    if (one === undefined || next === undefined) return undefined;
    return changeLog(scene, (ids) =>
      ids.length < next.last
        ? ids
        : ids.toSpliced(
            one.last - one.ids.length,
            one.ids.length + next.ids.length,
            ...next.ids,
            ...one.ids,
          ),
    );
  },
  "an append moved in the log"(scene) {
    const { placed, random } = scene;
    const moved = random.pick(placed.filter(hasAnswer));
    const place = random.pick(
      placed.filter(({ last }) => moved !== undefined && last > moved.last),
    );
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

/** Changes the log: in every read of it, or in the last one only. */
function changeLog(scene: Scene, change: (ids: readonly string[]) => readonly string[]): History {
  const changed = scene.random.chance(0.5) ? reads(scene) : [scene.final];
  return rewriteReads(scene, changed, change);
}

function hasAnswer({ attempts }: PlacedAppend): boolean {
  return attempts.some(isAcknowledged);
}

/** Whether a longer log than this was settled before the operation began. */
function isGone({ placed }: Scene, length: number, operation: Operation): boolean {
  return placed.some(
    ({ last, attempts }) =>
      last > length &&
      attempts.some(
        (attempt) => isAcknowledged(attempt) && (attempt.end ?? Infinity) < operation.start,
      ),
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
