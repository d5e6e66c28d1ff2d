import * as fc from "fast-check";
import { assertProperty } from "../../assert-property.ts";
import type { CodecProperties } from "../codec-property.ts";
import type { CodecSubject } from "../codec-subject.ts";
import {
  cutRecords,
  extendedRecords,
  flippedBits,
  mutatedRecord,
  type DamagedRecord,
} from "../damaged-records.ts";
import { someEvents } from "../payloads.ts";
import { pseudoRandom } from "../pseudo-random.ts";
import { answerOf, answersProperly, refuses } from "../refusal.ts";
import { bytesOf, decode, encode, placeOf, same, sealLog } from "../sealed-record.ts";
import { holdsPiece, printed } from "../secret-traces.ts";

/** Every systematic change of one record, and some noise. */
function* damageOf(record: Uint8Array): Generator<DamagedRecord> {
  yield* flippedBits(record);
  yield* cutRecords(record);
  yield* extendedRecords(record);
}

function* noise(seed: number): Generator<DamagedRecord> {
  yield { what: "no bytes", record: new Uint8Array(0) };
  for (let byte = 0; byte < 256; byte += 1) {
    yield { what: `the byte ${byte} alone`, record: Uint8Array.of(byte) };
  }
  for (const length of [100, 65_536, 1_048_576]) {
    yield { what: `${length} random bytes`, record: pseudoRandom(seed + length, length) };
    yield { what: `${length} zeros`, record: new Uint8Array(length) };
    yield { what: `${length} bytes of 255`, record: new Uint8Array(length).fill(0xff) };
  }
}

/** What decode throws about damaged and about misplaced records. */
async function* refusalsOf(
  { codec }: CodecSubject,
  bytes: Uint8Array,
): AsyncGenerator<{ record: Uint8Array; error: unknown }> {
  const place = placeOf();
  const whole = await encode(codec, bytes, place);
  const changes = [...damageOf(whole)].filter((_change, index) => index % 31 === 0);
  for (const record of [...changes.map((change) => change.record), bytes]) {
    const answer = await answerOf(codec, record, place);
    if ("error" in answer) yield { record, error: answer.error };
  }
  for (const other of [placeOf({ seq: 2 }), placeOf({ sessionId: "other" })]) {
    const answer = await answerOf(codec, whole, other);
    if ("error" in answer) yield { record: whole, error: answer.error };
  }
}

const canary = "Qx7vK2mZ9pLr4TnB8wYcHs6JdFg3Vb5NzXa1Ue0R";

/** Largest bomb that is tried; zeros, which every compression makes small. */
const bombMaxBytes = 64 * 1_048_576;

/** A decoder under fire. */
export const decoderProperties: CodecProperties = [
  {
    id: "C22",
    group: "decoder",
    statement: "Whatever the bytes, decode gives bytes or a CodecError with a code for it",
    reason:
      "A decoder reads what anybody could have written; one that crashes takes the process along, and one whose errors are not known as such gets its records skipped",
    reports: ["openai/openai-agents-python#4936"],
    cases: [
      {
        name: "decode answers to every flipped bit, every length, and bytes before and behind",
        async run({ codec, check }) {
          const [, { record: whole, place }] = await sealLog(codec, someEvents);
          for (const { what, record } of damageOf(whole)) {
            answersProperly(check, await answerOf(codec, record, place), what);
          }
        },
      },
      {
        name: "decode answers to noise of every length",
        async run({ codec, budget, check }) {
          for (const { what, record } of noise(budget.seed)) {
            answersProperly(check, await answerOf(codec, record, placeOf()), what);
          }
          const property = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (record) => {
            answersProperly(check, await answerOf(codec, record, placeOf()), "random bytes");
          });
          await assertProperty(property, budget, 500);
        },
      },
      {
        name: "decode answers to generated changes of records",
        async run({ codec, promises, budget, check }) {
          const place = placeOf();
          const texts = [...someEvents, bytesOf("a".repeat(1_000)), pseudoRandom(budget.seed, 300)];
          const valid: Uint8Array[] = [];
          for (const bytes of texts) valid.push(await encode(codec, bytes, place));
          const property = fc.asyncProperty(mutatedRecord(valid), async (record) => {
            const answer = await answerOf(codec, record, place);
            answersProperly(check, answer, "generated changes");
            if ("bytes" in answer && promises.maxDecodedBytes !== null) {
              check.atMost(answer.bytes.length, promises.maxDecodedBytes, "bytes decoded");
            }
          });
          await assertProperty(property, budget, 1_000);
        },
      },
    ],
  },
  {
    id: "C23",
    group: "decoder",
    statement: "A refusal names the codec, the session and the seq, and is final",
    reason:
      "Who gets the error has to find the record; one that is called retryable is tried again for ever",
    cases: [
      {
        name: "decode throws errors with the place that it was given",
        async run(subject) {
          const { codec, check } = subject;
          const place = placeOf({ sessionId: "a place", seq: 7 });
          const record = await encode(codec, someEvents[0], place);
          let refusals = 0;
          for (const damaged of [...damageOf(record)].filter((_one, index) => index % 29 === 0)) {
            const answer = await answerOf(codec, damaged.record, place);
            if (!("error" in answer)) continue;
            refusals += 1;
            const { stage, sessionId, seq, retryable } = Object(answer.error) as Record<
              string,
              unknown
            >;
            check.equal({ sessionId, seq }, { sessionId: "a place", seq: 7 }, damaged.what);
            check.ok(typeof stage === "string" && stage !== "", "the error names a stage");
            check.same(retryable, false, "retryable");
          }
          subject.note(`${refusals} refusals`);
        },
      },
    ],
  },
  {
    id: "C24",
    group: "decoder",
    statement: "No refusal shows a piece of the plaintext, of the record or of a key",
    reason: "Errors go to logs, to dashboards and to other companies",
    reports: ["pubkey/rxdb#8248"],
    cases: [
      {
        name: "decode throws errors without plaintext and record, in any spelling",
        async run(subject) {
          const bytes = bytesOf(JSON.stringify({ type: "user", content: canary }));
          for await (const { record, error } of refusalsOf(subject, bytes)) {
            const text = printed(error);
            subject.check.ok(!holdsPiece(text, bytesOf(canary), 6), "it shows no plaintext");
            // Twelve bytes, since the id of a key stands in clear in records and in errors.
            subject.check.ok(!holdsPiece(text, record, 12), "it shows no piece of the record");
          }
        },
      },
      {
        name: "decode throws errors without keys, in any spelling",
        requires: ["authenticates", "secrets"],
        async run(subject) {
          const { secrets = [] } = subject.fixture;
          for await (const { error } of refusalsOf(subject, bytesOf("{}"))) {
            const text = printed(error);
            const shown = secrets.some((secret) => holdsPiece(text, secret, 6));
            subject.check.ok(!shown, "it shows no key");
          }
        },
      },
      {
        name: "the codec itself shows no keys when it is printed",
        requires: ["authenticates", "secrets"],
        async run({ codec, fixture, check }) {
          await decode(codec, await encode(codec, someEvents[0], placeOf()), placeOf());
          const text = printed(codec);
          const shown = (fixture.secrets ?? []).some((secret) => holdsPiece(text, secret, 6));
          check.ok(!shown, "it shows no key");
        },
      },
    ],
  },
  {
    id: "C25",
    group: "decoder",
    requires: ["limits"],
    statement: "Nothing decodes to more than the promised limit, and nothing over it is encoded",
    reason:
      "A few kilobytes that become a gigabyte stop every process that reads the log; what is written and then not read is lost",
    cases: [
      {
        name: "encode takes what is at the limit, and refuses what is over it",
        async run({ codec, promises, check }) {
          const most = promises.maxDecodedBytes ?? 0;
          const largest = new Uint8Array(most);
          const record = await encode(codec, largest, placeOf());
          check.ok(same(await decode(codec, record, placeOf()), largest), "the largest is read");
          const encoding = async () => codec.encode(new Uint8Array(most + 1), placeOf());
          await check.fails(encoding(), "LIMIT_EXCEEDED");
        },
      },
      {
        name: "decode refuses what would become more than the limit",
        requires: ["unlimited"],
        async run({ codec, fixture, promises, check, note }) {
          const most = promises.maxDecodedBytes ?? 0;
          const place = placeOf();
          for (const size of [most + 1, 2 * most, Math.max(bombMaxBytes, 4 * most)]) {
            const record = await fixture.encodeUnlimited?.(new Uint8Array(size), place);
            if (record === undefined) continue;
            const what = `${record.length} bytes that would become ${size}`;
            const started = performance.now();
            const codes = ["LIMIT_EXCEEDED", "DECODE_FAILED", "UNSUPPORTED_FORMAT"] as const;
            await refuses(check, codec, { what, record, place }, codes);
            note(`${what} refused after ${Math.round(performance.now() - started)} ms`);
          }
        },
      },
    ],
  },
];
