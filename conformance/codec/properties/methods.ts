import type { Codec, CodecPlace } from "../../../src/index.ts";
import type { CodecProperties } from "../codec-property.ts";
import { flippedBits } from "../damaged-records.ts";
import { someEvents } from "../payloads.ts";
import { pseudoRandom } from "../pseudo-random.ts";
import { refuses } from "../refusal.ts";
import { bytesOf, decode, encode, placeOf, same, sealLog } from "../sealed-record.ts";

/** A stage that changes nothing, of either kind, as a neighbour. */
function neighbour(kind: Codec["kind"]): Codec {
  return { id: `neighbour-${kind}`, kind, encode: (bytes) => bytes, decode: (bytes) => bytes };
}

/** The places in a pipeline where a codec may be asked to stand. */
function placesOf({ id, kind }: Codec): CodecPlace[] {
  const [transform, aead] = [neighbour("transform"), neighbour("aead")];
  const alone = { pipeline: id, before: [], after: [] };
  const behind = { pipeline: `${transform.id}+${id}`, before: [transform], after: [] };
  if (kind === "aead") return [alone, behind];
  return [alone, behind, { pipeline: `${id}+${aead.id}`, before: [], after: [aead] }];
}

/** What a codec may have besides encode and decode. */
export const methodProperties: CodecProperties = [
  {
    id: "C26",
    group: "methods",
    requires: ["isCurrent"],
    statement: "isCurrent tells whether a record is as a new one would be",
    reason:
      "rekey leaves alone what is called current; after a key has leaked, a wrong yes keeps it in use",
    cases: [
      {
        name: "isCurrent is true of what any object has just written, and asked again",
        async run({ codec, create, check }) {
          const [, ...log] = await sealLog(codec, someEvents, "current");
          const other = await create();
          for (const { record } of log) {
            for (const one of [codec, codec, other]) {
              check.same(await one.isCurrent?.(record, "current"), true, "what was just written");
            }
          }
        },
      },
      {
        name: "isCurrent is false of noise and of plain text",
        async run({ codec, budget, check }) {
          const noise = [0, 1, 16, 100, 1_000].map((length) => pseudoRandom(budget.seed, length));
          for (const bytes of [...noise, ...someEvents, bytesOf("{}")]) {
            const isCurrent = await codec.isCurrent?.(bytes, "current");
            check.same(isCurrent, false, `${bytes.length} bytes that encode never gave`);
          }
        },
      },
      {
        name: "isCurrent is false of records of another key",
        requires: ["authenticates", "foreign"],
        async run({ codec, createForeign, check }) {
          const log = await sealLog(await createForeign(), someEvents, "current");
          for (const { record } of log) {
            check.same(await codec.isCurrent?.(record, "current"), false, "another key");
          }
        },
      },
    ],
  },
  {
    id: "C27",
    group: "methods",
    requires: ["place"],
    statement: "place gives a codec for that place and leaves the one it was called on as it was",
    reason:
      "One codec can stand in two pipelines; what it learns about one must not change the other",
    cases: [
      {
        name: "place gives codecs of the same id and kind that read each other and hard payloads",
        async run({ codec, create, budget, check }) {
          const other = await create();
          for (const place of placesOf(codec)) {
            const [placed, reader] = [codec.place?.(place), other.place?.(place)];
            if (placed === undefined || reader === undefined) continue;
            check.equal([placed.id, placed.kind], [codec.id, codec.kind], place.pipeline);
            const payloads = [...someEvents, bytesOf(""), pseudoRandom(budget.seed, 70_000)];
            for (const bytes of payloads) {
              const record = await encode(placed, bytes, placeOf());
              const met = await decode(reader, record, placeOf());
              check.ok(same(met, bytes), `${bytes.length} bytes come back in ${place.pipeline}`);
            }
          }
        },
      },
      {
        name: "place changes nothing for the codec that it was called on",
        async run({ codec, check }) {
          const before = await sealLog(codec, someEvents);
          for (const place of placesOf(codec)) codec.place?.(place);
          const after = await sealLog(codec, someEvents);
          for (const { bytes, place, record } of [...before, ...after]) {
            check.ok(same(await decode(codec, record, place), bytes), "it reads what it wrote");
          }
        },
      },
      {
        name: "place gives codecs that authenticate as much",
        requires: ["authenticates"],
        async run({ codec, promises, check }) {
          for (const at of placesOf(codec)) {
            const placed = codec.place?.(at);
            if (placed === undefined) continue;
            const [first, second] = await sealLog(placed, someEvents);
            const { record, place } = second;
            const others = [
              { ...place, sessionId: "other" },
              { ...place, seq: 3 },
              { ...place, ts: first.place.ts },
              ...(promises.chains ? [{ ...place, previous: null }] : []),
            ];
            for (const other of others) {
              await refuses(check, placed, { what: "another place", record, place: other });
            }
            for (const damaged of flippedBits(record)) {
              await refuses(check, placed, { ...damaged, place });
            }
          }
        },
      },
    ],
  },
];
