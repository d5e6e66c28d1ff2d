import type { Codec, CodecContext } from "../../../src/index.ts";
import type { CodecProperties } from "../codec-property.ts";
import { hardPayloads, someEvents } from "../payloads.ts";
import { answerOf } from "../refusal.ts";
import { bytesOf, copyOf, decode, encode, placeOf, same, sealLog } from "../sealed-record.ts";

/** Bytes somewhere inside a buffer of others, as Node's pool and a driver's pages give them. */
function inside(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.alloc(bytes.length + 48, 0xa5);
  buffer.set(bytes, 29);
  return buffer.subarray(29, 29 + bytes.length);
}

/** Whose bytes are whose, and what happens at the same time. */
export const callProperties: CodecProperties = [
  {
    id: "C05",
    group: "calls",
    statement: "encode and decode leave their arguments as they are",
    reason:
      "The engine encodes the same bytes again after a lost race, and stores hand out the bytes that they keep",
    cases: [
      {
        name: "encode changes neither the bytes nor the record before",
        async run({ codec, check }) {
          const [first] = await sealLog(codec, someEvents);
          for (const bytes of someEvents) {
            const [given, previous] = [bytes.slice(), first.record.slice()];
            await codec.encode(given, Object.freeze(placeOf({ seq: 2, previous })));
            check.ok(same(given, bytes), "the bytes are as they were");
            check.ok(same(previous, first.record), "the record before is as it was");
          }
        },
      },
      {
        name: "decode changes neither the record nor the one before, nor does a refusal",
        async run({ codec, check }) {
          for (const { place, record } of await sealLog(codec, someEvents)) {
            for (const stored of [record, record.slice(0, -1), bytesOf("{}")]) {
              const [given, own] = [stored.slice(), copyOf(place)];
              try {
                await codec.decode(given, Object.freeze(own));
              } catch {
                // Whether it may refuse is not the question here.
              }
              check.ok(same(given, stored), "the record is as it was");
              check.equal(own, place, "the place is as it was");
            }
          }
        },
      },
    ],
  },
  {
    id: "C06",
    group: "calls",
    statement: "What encode and decode gave is never changed by a later call or a later write",
    reason:
      "A buffer that is used again turns the records of one batch into copies of the last of them",
    cases: [
      {
        name: "encode gives bytes that do not change with what it was given",
        async run({ codec, check }) {
          for (const bytes of someEvents) {
            const given = bytes.slice();
            const record = await codec.encode(given, placeOf());
            given.fill(0xff);
            check.ok(
              same(await decode(codec, record, placeOf()), bytes),
              "the record is as it was",
            );
          }
        },
      },
      {
        name: "encode and decode leave earlier results alone",
        async run({ codec, check }) {
          const kept: Array<{ result: Uint8Array; copy: Uint8Array }> = [];
          const keep = (result: Uint8Array): void => {
            // A Buffer's own slice() would share its bytes.
            kept.push({ result, copy: Uint8Array.from(result) });
          };
          for (const bytes of someEvents) {
            const record = await codec.encode(bytes.slice(), placeOf());
            keep(record);
            keep(await codec.decode(Uint8Array.from(record), placeOf()));
          }
          for (const [index, { result, copy }] of kept.entries()) {
            check.ok(same(result, copy), `result ${index + 1} is as it was`);
          }
        },
      },
      {
        name: "encode keeps nothing that a caller can spoil",
        async run({ codec, check }) {
          for (const bytes of someEvents) {
            (await codec.encode(bytes.slice(), placeOf())).fill(0);
            const record = await encode(codec, bytes, placeOf());
            check.ok(same(await decode(codec, record, placeOf()), bytes), "the next one is right");
          }
        },
      },
    ],
  },
  {
    id: "C07",
    group: "calls",
    statement: "Calls that run at the same time know nothing of each other",
    reason:
      "One codec serves every session of a process; a field that two calls share seals one record with the other's place",
    reports: ["paulmillr/noble-ciphers#53"],
    cases: [
      {
        name: "encode and decode run at the same time for many sessions, with refusals in between",
        async run({ codec, check }) {
          const sessions = Array.from({ length: 24 }, (_, index) => ({
            bytes: bytesOf(`{"number":${index},"text":"${"x".repeat(index * 7)}"}`),
            place: placeOf({ sessionId: `session ${index}`, seq: 1 + (index % 5) }),
          }));
          const sealed = await Promise.all(
            sessions.map(async ({ bytes, place }) => ({
              bytes,
              place,
              record: await encode(codec, bytes, place),
            })),
          );
          const mixed = await Promise.all(
            sealed.map(async ({ bytes, place, record }) => {
              const [met, , second] = await Promise.all([
                decode(codec, record, place),
                answerOf(codec, record.slice(0, -1), place),
                encode(codec, bytes, place),
              ]);
              return { bytes, place, met, second };
            }),
          );
          for (const { bytes, place, met, second } of mixed) {
            check.ok(same(met, bytes), `the first record of ${place.sessionId} is read`);
            const again = await decode(codec, second, place);
            check.ok(same(again, bytes), `the second record of ${place.sessionId} is read`);
          }
        },
      },
      {
        name: "encode runs at the same time for one place",
        async run({ codec, check }) {
          const sealed = await Promise.all(
            someEvents.map(
              async (bytes) => [bytes, await encode(codec, bytes, placeOf())] as const,
            ),
          );
          for (const [bytes, record] of sealed) {
            check.ok(same(await decode(codec, record, placeOf()), bytes), "each is read");
          }
        },
      },
    ],
  },
  {
    id: "C08",
    group: "calls",
    statement: "Bytes are read where they stand, also in the middle of a larger buffer",
    reason:
      "Node takes small buffers from a pool, so a codec that looks at the buffer behind them seals other people's memory",
    reports: ["paulmillr/noble-ciphers#5"],
    cases: [
      {
        name: "encode and decode take views, and Buffers as well",
        async run({ codec, promises, budget, check }) {
          const most = Math.min(promises.maxDecodedBytes ?? Infinity, 70_000);
          const [first] = await sealLog(codec, someEvents, "views");
          const context = (previous: Uint8Array): CodecContext =>
            placeOf({ sessionId: "views", seq: 2, previous });
          const read = async (reader: Codec, record: Uint8Array): Promise<Uint8Array> =>
            Uint8Array.from(await reader.decode(record, context(first.record)));
          for (const [name, bytes] of hardPayloads(budget.seed, most)) {
            const sealed = await codec.encode(inside(bytes), context(inside(first.record)));
            const record = Uint8Array.from(sealed);
            check.ok(same(await read(codec, record), bytes), `${name} inside a buffer is sealed`);
            check.ok(same(await read(codec, inside(record)), bytes), `${name} is read from inside`);
          }
        },
      },
    ],
  },
];
