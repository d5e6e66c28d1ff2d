import type { CodecContext, ErrorCode } from "../../../src/index.ts";
import type { CodecProperties } from "../codec-property.ts";
import type { CodecSubject } from "../codec-subject.ts";
import { someEvents } from "../payloads.ts";
import { refuses } from "../refusal.ts";
import { bytesOf, encode, placeOf, same, sealLog, type SealedRecord } from "../sealed-record.ts";

const events = [...someEvents, bytesOf('{"type":"summary","text":"all green"}')] as const;

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : same(one, other);
}

/** Every record of a log is refused at the places that `others` makes of its own. */
async function refusesElsewhere(
  { codec, check }: CodecSubject,
  codes: readonly ErrorCode[],
  others: (record: SealedRecord) => ReadonlyArray<readonly [what: string, place: CodecContext]>,
): Promise<void> {
  for (const sealed of await sealLog(codec, events)) {
    for (const [what, place] of others(sealed)) {
      await refuses(check, codec, { what, record: sealed.record, place }, codes);
    }
  }
}

/** Records and their times, put behind one another as a store would show them. */
type Arrangement = readonly SealedRecord[];

/** A reader meets a refusal before it has delivered anything that is not a part of the log. */
async function refusesArrangement(
  { codec, check }: CodecSubject,
  log: Arrangement,
  arrangement: Arrangement,
  what: string,
): Promise<void> {
  let previous: Uint8Array | null = null;
  for (const [index, { record, place }] of arrangement.entries()) {
    const at = placeOf({ seq: index + 1, ts: place.ts, previous });
    if (!isSame(record, log[index]?.record ?? null)) {
      await refuses(check, codec, { what, record, place: at }, ["AUTH_FAILED", "WRONG_KEY"]);
      return;
    }
    previous = record;
  }
  check.ok(false, `${what}: the suite arranged nothing anew`);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

/** A record belongs to one place. */
export const placeProperties: CodecProperties = [
  {
    id: "C09",
    group: "places",
    requires: ["authenticates"],
    statement: "A record is refused in another session",
    reason: "Otherwise whoever can write the store gives one user another user's conversation",
    reports: ["langchain-ai/langgraph#9004"],
    cases: [
      {
        name: "decode refuses a record under other session ids, however alike",
        async run(subject) {
          const ids = ["other", "sessio", "session2", "Session", "session ", "\u017fession"];
          const codes: readonly ErrorCode[] = ["WRONG_KEY", "AUTH_FAILED", "KEY_UNKNOWN"];
          await refusesElsewhere(subject, codes, ({ place }) =>
            ids.map((sessionId) => [`the session ${sessionId}`, { ...place, sessionId }]),
          );
        },
      },
      {
        name: "decode tells NFC from NFD, and a session from a session and a seq",
        async run({ codec, check }) {
          const pairs: ReadonlyArray<readonly [Partial<CodecContext>, Partial<CodecContext>]> = [
            [{ sessionId: "\u00e9" }, { sessionId: "e\u0301" }],
            [
              { sessionId: "s1", seq: 1 },
              { sessionId: "s", seq: 11 },
            ],
            [
              { sessionId: "s", seq: 12 },
              { sessionId: "s1", seq: 2 },
            ],
            [
              { sessionId: "a", seq: 1 },
              { sessionId: "a\u0001", seq: 1 },
            ],
          ];
          const codes = ["WRONG_KEY", "AUTH_FAILED", "KEY_UNKNOWN"] as const;
          for (const [from, to] of pairs) {
            const record = await encode(codec, someEvents[0], placeOf(from));
            await refuses(
              check,
              codec,
              { what: "another session", record, place: placeOf(to) },
              codes,
            );
          }
        },
      },
    ],
  },
  {
    id: "C10",
    group: "places",
    requires: ["authenticates"],
    statement: "A record is refused at another seq",
    reason: "Otherwise an answer can be put before its question, or a permission be given twice",
    cases: [
      {
        name: "decode refuses a record at any other seq",
        run: (subject) =>
          refusesElsewhere(subject, ["AUTH_FAILED"], ({ place }) =>
            [1, 2, 3, 4, 5, 257, 65_537, 2 ** 32 + place.seq, 2 ** 53 - 1]
              .filter((seq) => seq !== place.seq)
              .map((seq) => [`seq ${seq}, not ${place.seq}`, { ...place, seq }]),
          ),
      },
    ],
  },
  {
    id: "C11",
    group: "places",
    requires: ["authenticates"],
    statement: "A record is refused with another timestamp",
    reason: "The time of a record stands in clear beside it, and people decide by it",
    cases: [
      {
        name: "decode refuses a record with any other ts",
        run: (subject) =>
          refusesElsewhere(subject, ["AUTH_FAILED"], ({ place }) =>
            [1, -1, 1_000, 86_400_000, -Date.parse(place.ts)].map((milliseconds) => {
              const ts = new Date(Date.parse(place.ts) + milliseconds).toISOString();
              return [`ts ${ts}`, { ...place, ts }];
            }),
          ),
      },
    ],
  },
  {
    id: "C12",
    group: "places",
    requires: ["authenticates", "chains"],
    statement: "A record is refused behind another one than it was written behind",
    reason:
      "Without a chain, a record that was cut off can come back in the place of the one that replaced it",
    reports: ["langchain-ai/langgraph#9004"],
    cases: [
      {
        name: "decode refuses a record behind another, behind none, and a first one behind any",
        run: async (subject) => {
          const again = await sealLog(subject.codec, events);
          const otherSession = await sealLog(subject.codec, events, "other");
          await refusesElsewhere(subject, ["AUTH_FAILED"], ({ place, record }) => {
            const { previous } = place;
            const changed = previous?.slice();
            changed?.set([(changed.at(-1) ?? 0) ^ 1], changed.length - 1);
            const others: ReadonlyArray<readonly [string, Uint8Array | null | undefined]> = [
              ["no record before it", previous === null ? undefined : null],
              ["itself before it", record],
              ["a record of the same place before it", again[Math.max(0, place.seq - 2)]?.record],
              ["a record of another session before it", otherSession[0].record],
              ["a last bit flipped before it", changed],
            ];
            return others
              .filter(([, other]) => other !== undefined && !isSame(other, previous))
              .map(([what, other]) => [what, { ...place, previous: other ?? null }]);
          });
        },
      },
      {
        name: "decode refuses what follows an old record of the same seq",
        async run({ codec, check }) {
          const log = await sealLog(codec, events);
          const [, { place }, third] = log;
          const old = await encode(codec, bytesOf('{"type":"user","content":"old"}'), place);
          const next = { ...third.place, previous: old };
          const what = "an old record before it";
          await refuses(check, codec, { what, record: third.record, place: next }, ["AUTH_FAILED"]);
        },
      },
    ],
  },
  {
    id: "C13",
    group: "places",
    requires: ["authenticates"],
    statement: "Records in another order than they were written in are refused",
    reason: "Whoever can write the store can also sort it, leave records out and repeat them",
    cases: [
      {
        name: "decode refuses every other order, a gap, a repeat, and strangers in between",
        async run(subject) {
          const log = await sealLog(subject.codec, events);
          for (const arrangement of permutations(log).slice(1)) {
            const order = arrangement.map(({ place }) => place.seq).join(", ");
            await refusesArrangement(subject, log, arrangement, `the order ${order}`);
          }
          for (const [index, repeated] of log.entries()) {
            const rest = log.filter((_one, place) => place !== index);
            if (index < 3) await refusesArrangement(subject, log, rest, `no seq ${index + 1}`);
            const twice = [...log.slice(0, index + 1), ...log.slice(index)];
            await refusesArrangement(subject, log, twice, `seq ${index + 1} twice`);
            await refusesArrangement(
              subject,
              log,
              [...log, repeated],
              `seq ${index + 1} at the end`,
            );
          }
          await refusesArrangement(subject, log, [...log, ...log], "the log twice");
        },
      },
    ],
  },
];
