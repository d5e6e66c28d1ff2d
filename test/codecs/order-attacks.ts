import { inOrder, withRecord, type Attack, type Forgery } from "./attack.ts";
import type { Scene } from "./attack-scene.ts";

/** Attacks that leave every record as it is and change which ones stand where. */
export function orderAttacks(scene: Scene): Attack[] {
  return [
    { name: "records reordered", forgeries: reordered(scene) },
    { name: "a record dropped before the last one", forgeries: dropped(scene) },
    { name: "a record repeated", forgeries: repeated(scene) },
    { name: "a record at another seq", forgeries: elsewhere(scene) },
    { name: "records of another session", forgeries: otherSession(scene) },
    { name: "an old record before later ones", forgeries: oldRecord(scene) },
  ];
}

/** What no reader can know by itself: the log was in each of these states once. */
export function rollbacks({ log, oldBranch, oldTail }: Scene): Attack[] {
  const accepted = (records: Forgery["records"]): Forgery => ({ records, code: null });
  return [
    {
      name: "the tail cut off",
      forgeries: log.map((_record, length) => accepted(log.slice(0, length))),
    },
    { name: "a whole old branch", forgeries: [accepted(oldBranch)] },
    { name: "an old last record", forgeries: [accepted(oldTail)] },
  ];
}

function reordered({ log }: Scene): Forgery[] {
  const orders = permutations([0, 1, 2, 3]).filter((order) =>
    order.some((from, to) => from !== to),
  );
  return orders.map((order) => ({
    records: inOrder(...order.map((from) => log[from])),
    code: "AUTH_FAILED",
  }));
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

function dropped({ log }: Scene): Forgery[] {
  return log.slice(0, -1).flatMap(({ seq }): Forgery[] => {
    const rest = log.filter((record) => record.seq !== seq);
    return [
      { records: inOrder(...rest), code: "AUTH_FAILED" },
      { records: rest, code: "CORRUPT_LOG" },
    ];
  });
}

function repeated({ log }: Scene): Forgery[] {
  return log.flatMap((record, index): Forgery[] => [
    {
      records: inOrder(...log.slice(0, index + 1), ...log.slice(index)),
      code: "AUTH_FAILED",
      seq: index + 2,
    },
    { records: inOrder(...log, record), code: "AUTH_FAILED", seq: 5 },
    { records: inOrder(...log, ...log), code: "AUTH_FAILED", seq: 5 },
  ]);
}

function elsewhere(scene: Scene): Forgery[] {
  const { log } = scene;
  return log.flatMap((target) =>
    log
      .filter((source) => source !== target)
      .flatMap(({ payload, ts }): Forgery[] => [
        { records: withRecord(scene, target.seq, { payload }), code: "AUTH_FAILED" },
        { records: withRecord(scene, target.seq, { payload, ts }), code: "AUTH_FAILED" },
      ]),
  );
}

function otherSession(scene: Scene): Forgery[] {
  const { log, neighbour } = scene;
  return [
    { records: neighbour, code: "WRONG_KEY" },
    { records: inOrder(...log, ...neighbour), code: "WRONG_KEY", seq: 5 },
    ...neighbour.map(({ seq, ts, payload }): Forgery => ({
      records: withRecord(scene, seq, { ts, payload }),
      code: "WRONG_KEY",
    })),
  ];
}

/** An old record is part of a state that was, and is delivered; what follows it is refused. */
function oldRecord({ log, oldBranch, oldTail }: Scene): Forgery[] {
  return [
    { records: inOrder(log[0], log[1], oldBranch[2], log[3]), code: "AUTH_FAILED", seq: 4 },
    { records: inOrder(log[0], log[1], oldBranch[2], oldTail[3]), code: "AUTH_FAILED", seq: 4 },
    { records: inOrder(log[0], log[1], log[2], oldBranch[3]), code: "AUTH_FAILED", seq: 4 },
    { records: inOrder(...log, oldBranch[2]), code: "AUTH_FAILED", seq: 5 },
    { records: inOrder(...log, oldTail[3]), code: "AUTH_FAILED", seq: 5 },
  ];
}
