import * as fc from "fast-check";
import { assertProperty } from "../../assert-property.ts";
import { jsonObject } from "../../json-values.ts";
import type { CodecProperties } from "../codec-property.ts";
import { hardPayloads, someEvents } from "../payloads.ts";
import { answerOf } from "../refusal.ts";
import { bytesOf, decode, encode, placeOf, same, sealLog } from "../sealed-record.ts";

/** Well-formed ids of sessions, hard ones among them. */
const sessionIds = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom("a/b", "..", "\u00e9", "e\u0301", "\u{1f600}", " ", "s".repeat(512)),
);

const payloads = fc.oneof(
  jsonObject.map((event) => bytesOf(JSON.stringify(event))),
  fc.uint8Array({ maxLength: 300 }),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 200 }))
    .map(([piece, times]) =>
      Uint8Array.from(
        Array<number[]>(times)
          .fill([...piece])
          .flat(),
      ),
    ),
);

/** What goes in comes out. */
export const roundTripProperties: CodecProperties = [
  {
    id: "C01",
    group: "round trip",
    statement: "A codec has one id, the kind that it promises, and both methods",
    reason:
      "The kind decides what may stand behind it in a pipeline and whether an anchor can rely on it; people find the id in logs",
    cases: [
      {
        name: "id and kind are the same for every object",
        async run({ codec, create, promises, check }) {
          check.ok(typeof codec.id === "string" && codec.id !== "", "id is a text");
          check.same(codec.kind, promises.authenticates ? "aead" : "transform", "kind");
          const other = await create();
          check.equal([other.id, other.kind], [codec.id, codec.kind]);
          check.differs(other, codec, "createCodec gives an object of its own each time");
        },
      },
    ],
  },
  {
    id: "C02",
    group: "round trip",
    statement: "decode gives back exactly the bytes that encode was given",
    reason: "A codec that loses or changes a byte loses or changes what the agent did",
    reports: ["101arrowz/fflate#295", "101arrowz/fflate#282"],
    cases: [
      {
        name: "decode reads hard payloads, as first records and behind another",
        async run({ codec, promises, budget, check }) {
          const [head] = await sealLog(codec, [bytesOf("{}")], "long");
          const second = placeOf({ sessionId: "long", seq: 2, previous: head.record });
          const most = promises.maxDecodedBytes ?? Infinity;
          for (const [name, bytes] of hardPayloads(budget.seed, most)) {
            for (const place of [placeOf(), second]) {
              const record = await encode(codec, bytes, place);
              const met = await decode(codec, record, place);
              check.ok(same(met, bytes), `${name} comes back as it was, at seq ${place.seq}`);
            }
          }
        },
      },
      {
        name: "decode reads generated payloads at generated places",
        async run({ codec, budget, check }) {
          const property = fc.asyncProperty(
            sessionIds.filter((id) => id.isWellFormed() && !id.includes("\0")),
            fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(2 ** 32, 2 ** 53 - 1)),
            fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
            fc.tuple(payloads, payloads),
            async (sessionId, seq, time, [before, bytes]) => {
              const ts = time.toISOString();
              const first = placeOf({ sessionId, seq, ts });
              const previous = await encode(codec, before, first);
              const place = { ...first, seq: Math.min(seq + 1, 2 ** 53 - 1), previous };
              const record = await encode(codec, bytes, place);
              check.ok(same(await decode(codec, record, place), bytes), "it comes back as it was");
            },
          );
          await assertProperty(property, budget, 200);
        },
      },
      {
        name: "decode reads a long log",
        async run({ codec, check }) {
          const log = await sealLog(codec, Array.from({ length: 34 }, () => someEvents).flat());
          for (const { bytes, place, record } of log) {
            check.ok(
              same(await decode(codec, record, place), bytes),
              `seq ${place.seq} is as it was`,
            );
          }
        },
      },
    ],
  },
  {
    id: "C03",
    group: "round trip",
    statement: "Records are read by any other object that was made alike",
    reason:
      "What lives in one object (a key, a table, a counter) is gone with the process, and the log with it",
    cases: [
      {
        name: "decode of another object, one that never wrote, reads what was written",
        async run({ codec, create, check }) {
          const log = await sealLog(codec, someEvents);
          const reader = await create();
          for (const { bytes, place, record } of log) {
            check.ok(same(await decode(reader, record, place), bytes), `seq ${place.seq} is read`);
          }
        },
      },
      {
        name: "two objects continue one log by turns",
        async run({ codec, create, check }) {
          const [first] = await sealLog(codec, [someEvents[0]]);
          const other = await create();
          const second = placeOf({ seq: 2, previous: first.record });
          const record = await encode(other, someEvents[1], second);
          check.ok(same(await decode(codec, record, second), someEvents[1]), "seq 2 is read");
          const third = placeOf({ seq: 3, previous: record });
          const last = await encode(codec, someEvents[2], third);
          check.ok(same(await decode(other, last, third), someEvents[2]), "seq 3 is read");
        },
      },
    ],
  },
  {
    id: "C04",
    group: "round trip",
    statement: "decode depends on nothing but its arguments",
    reason: "Logs are read backwards, from the middle, twice, and after a record that was refused",
    cases: [
      {
        name: "decode reads in any order, and again",
        async run({ codec, check }) {
          const log = await sealLog(codec, [...someEvents, ...someEvents]);
          const some = log.filter((_record, index) => index % 2 === 1);
          for (const { bytes, place, record } of [...log.toReversed(), ...some, ...some]) {
            check.ok(same(await decode(codec, record, place), bytes), `seq ${place.seq} is read`);
          }
        },
      },
      {
        name: "decode reads on after bytes that it could not read",
        async run({ codec, check }) {
          const log = await sealLog(codec, someEvents);
          for (const { bytes, place, record } of log) {
            await answerOf(codec, record.slice(0, record.length >> 1), place);
            await answerOf(codec, Uint8Array.of(1, 2, 3), place);
            await answerOf(codec, record, { ...place, sessionId: "elsewhere" });
            check.ok(same(await decode(codec, record, place), bytes), `seq ${place.seq} is read`);
          }
        },
      },
      {
        name: "encode may be called again for the same place, and for places that come to nothing",
        async run({ codec, check }) {
          const [first, ...rest] = await sealLog(codec, someEvents);
          const place = placeOf({ seq: 2, previous: first.record });
          const attempts = [];
          for (const bytes of someEvents) {
            attempts.push({ bytes, record: await encode(codec, bytes, place) });
          }
          for (const { bytes, record } of attempts) {
            check.ok(same(await decode(codec, record, place), bytes), "each attempt is read");
          }
          for (const { bytes, place: old, record } of rest) {
            check.ok(same(await decode(codec, record, old), bytes), "what was there is read");
          }
        },
      },
    ],
  },
];
