import * as fc from "fast-check";
import { assertProperty } from "../../assert-property.ts";
import type { CodecProperties } from "../codec-property.ts";
import type { CodecSubject } from "../codec-subject.ts";
import {
  cutRecords,
  extendedRecords,
  flippedBits,
  mutatedRecord,
  splicedRecords,
  type DamagedRecord,
} from "../damaged-records.ts";
import { someEvents } from "../payloads.ts";
import { pseudoRandom } from "../pseudo-random.ts";
import { refuses } from "../refusal.ts";
import { bytesOf, encode, placeOf, same, sealLog } from "../sealed-record.ts";

/** A first record, and one behind it of an event without content. */
const victims = [someEvents[0], bytesOf("{}")] as const;

async function refusesEach(
  subject: CodecSubject,
  damage: (record: Uint8Array) => Iterable<DamagedRecord>,
): Promise<void> {
  const { codec, check } = subject;
  for (const { record: whole, place } of await sealLog(codec, victims)) {
    for (const { what, record } of damage(whole)) {
      if (!same(record, whole)) await refuses(check, codec, { what, record, place });
    }
  }
}

/** What was changed is refused. */
export const damageProperties: CodecProperties = [
  {
    id: "C18",
    group: "damage",
    requires: ["authenticates"],
    statement: "A record with any bit flipped is refused",
    reason: "A bit that nothing vouches for is a bit that an attacker, or a disk, can choose",
    cases: [
      {
        name: "decode refuses every flipped bit",
        run: (subject) => refusesEach(subject, flippedBits),
      },
    ],
  },
  {
    id: "C19",
    group: "damage",
    requires: ["authenticates"],
    statement: "A record that was cut or extended is refused",
    reason: "A shorter tag is easier to guess, and bytes that are ignored carry whatever one likes",
    reports: ["nodejs/node#52345", "nodejs/node#17523", "oven-sh/bun#34093"],
    cases: [
      {
        name: "decode refuses every shorter length",
        run: (subject) => refusesEach(subject, cutRecords),
      },
      {
        name: "decode refuses more bytes, at the end and at the front",
        run: (subject) => refusesEach(subject, extendedRecords),
      },
    ],
  },
  {
    id: "C20",
    group: "damage",
    requires: ["authenticates"],
    statement: "What is put together from parts of records is refused",
    reason: "Parts that are each authentic make a whole that nobody wrote",
    cases: [
      {
        name: "decode refuses records of one place spliced at every byte",
        async run({ codec, budget, check }) {
          const place = placeOf();
          const record = await encode(codec, pseudoRandom(budget.seed, 100), place);
          const stranger = await encode(codec, pseudoRandom(budget.seed + 1, 100), place);
          for (const spliced of splicedRecords(record, stranger)) {
            const isWhole = [record, stranger].some((valid) => same(valid, spliced.record));
            if (!isWhole) await refuses(check, codec, { ...spliced, place });
          }
        },
      },
      {
        name: "decode refuses generated changes of records",
        async run({ codec, budget, check }) {
          const place = placeOf();
          const valid: Uint8Array[] = [];
          for (const bytes of someEvents) valid.push(await encode(codec, bytes, place));
          const property = fc.asyncProperty(mutatedRecord(valid), async (record) => {
            if (valid.some((one) => same(one, record))) return;
            await refuses(check, codec, { what: "generated changes", record, place });
          });
          await assertProperty(property, budget, 1_000);
        },
      },
    ],
  },
  {
    id: "C21",
    group: "damage",
    requires: ["authenticates"],
    statement: "Bytes that were never sealed are refused",
    reason:
      "A decoder that takes what does not look sealed for plain text lets everybody write, and lets a wrong setting go unnoticed",
    reports: ["langchain-ai/langgraph#8938", "azerozero/grob#354"],
    cases: [
      {
        name: "decode refuses the plaintext itself, and other text",
        async run({ codec, check }) {
          for (const { bytes, place } of await sealLog(codec, someEvents)) {
            const texts = [bytes, ...["{}", "null", "", '{"type":"user"}'].map(bytesOf)];
            for (const record of texts) {
              await refuses(check, codec, { what: "nothing sealed in it", record, place });
            }
          }
        },
      },
    ],
  },
];
