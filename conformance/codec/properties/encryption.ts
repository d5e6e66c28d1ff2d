import type { CodecContext, ErrorCode } from "../../../src/index.ts";
import type { CodecProperties } from "../codec-property.ts";
import { someEvents } from "../payloads.ts";
import { pseudoRandom } from "../pseudo-random.ts";
import { refuses } from "../refusal.ts";
import { encode, placeOf, same, sealLog } from "../sealed-record.ts";

/** Bytes that a match of cannot be an accident. */
const tellingBytes = 24;

/** Pieces of bytes from all over them. */
function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const count = 16;
  const step = Math.floor((bytes.length - tellingBytes) / count);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * step, index * step + tellingBytes),
  );
}

function holdsAny(bytes: Uint8Array, pieces: readonly Uint8Array[]): boolean {
  const buffer = Buffer.from(bytes);
  return pieces.some((piece) => buffer.includes(Buffer.from(piece)));
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.slice(0, right.length).map((byte, index) => byte ^ (right[index] ?? 0));
}

/** Keys, and what a record shows without them. */
export const encryptionProperties: CodecProperties = [
  {
    id: "C14",
    group: "encryption",
    requires: ["authenticates", "foreign"],
    statement: "A record of another key is refused as that",
    reason:
      "Who is told that a record was tampered with looks for an attacker; who is told that the key is another looks for the key",
    reports: ["openai/openai-agents-python#5005", "utelle/SQLite3MultipleCiphers#153"],
    cases: [
      {
        name: "decode refuses records of a foreign key, and the foreign codec ours",
        async run({ codec, createForeign, check }) {
          const foreign = await createForeign();
          const codes: readonly ErrorCode[] = ["KEY_UNKNOWN", "WRONG_KEY", "KEY_DISABLED"];
          const what = "another key";
          for (const { record, place } of await sealLog(foreign, someEvents)) {
            await refuses(check, codec, { what, record, place }, codes);
          }
          for (const { record, place } of await sealLog(codec, someEvents)) {
            await refuses(check, foreign, { what, record, place }, codes);
          }
        },
      },
    ],
  },
  {
    id: "C15",
    group: "encryption",
    requires: ["encrypts"],
    statement: "Equal plaintexts give different records",
    reason:
      "Otherwise the store shows which events are the same, in one session and across sessions",
    cases: [
      {
        name: "encode gives other bytes each time, at the same place and elsewhere",
        async run({ codec, create, budget, check }) {
          const bytes = pseudoRandom(budget.seed, 1_024);
          const places = [
            placeOf(),
            placeOf(),
            placeOf({ sessionId: "other" }),
            placeOf({ seq: 2 }),
          ];
          const records: Uint8Array[] = [];
          for (const place of places) records.push(await encode(codec, bytes, place));
          records.push(await encode(await create(), bytes, placeOf()));
          records.forEach((record, index) => {
            for (const other of records.slice(0, index)) {
              const differing = record.filter((byte, at) => byte !== other[at]).length;
              // A header may stay the same; of what hides the content, one byte in 256 does.
              check.atLeast(differing, bytes.length * 0.9, "bytes that differ between two records");
            }
          });
        },
      },
    ],
  },
  {
    id: "C16",
    group: "encryption",
    requires: ["encrypts"],
    statement: "No two records are hidden by the same key stream",
    reason:
      "Two records under one nonce show the XOR of their plaintexts, and with GCM give away the key of all tags; a nonce made of the seq repeats at every retry and every rewind",
    reports: ["loro-dev/protocol#14", "pathosDev/actor-ts#110"],
    cases: [
      {
        name: "encode never repeats a key stream at one place, in a log, or after a restart",
        async run({ codec, create, budget, check }) {
          const uses: ReadonlyArray<readonly [string, CodecContext]> = [
            ["one place", placeOf()],
            ["one place", placeOf()],
            ["another seq", placeOf({ seq: 2 })],
            ["another session", placeOf({ sessionId: "other" })],
          ];
          const sealed: Array<{ bytes: Uint8Array; record: Uint8Array }> = [];
          for (const writer of [codec, await create(), await create()]) {
            for (const [what, place] of uses) {
              const bytes = pseudoRandom(budget.seed + sealed.length, 1_024);
              const record = await encode(writer, bytes, place);
              for (const other of sealed) {
                const pieces = piecesOf(xor(bytes, other.bytes));
                const repeats = holdsAny(xor(record, other.record), pieces);
                check.ok(!repeats, `two records show nothing of each other, ${what} among them`);
              }
              sealed.push({ bytes, record });
            }
          }
        },
      },
    ],
  },
  {
    id: "C17",
    group: "encryption",
    requires: ["encrypts"],
    statement: "A record holds no piece of its plaintext",
    reason:
      "A fallback to plain text, or a copy of it in a header, is what encryption was bought against",
    reports: ["open-mercato/open-mercato#5921"],
    cases: [
      {
        name: "encode lets nothing through, of any length and after any refusal",
        async run({ codec, budget, check }) {
          for (const length of [64, 1_000, 100_000]) {
            const bytes = pseudoRandom(budget.seed + length, length);
            const record = await encode(codec, bytes, placeOf());
            check.ok(!holdsAny(record, piecesOf(bytes)), `${length} bytes are hidden`);
            check.ok(!same(record, bytes), "they are changed");
          }
        },
      },
    ],
  },
];
