import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeHeader,
  decodeRecord,
  encodeHeader,
  encodeRecord,
  newline,
  peekSeq,
  type LineRecord,
} from "./record-line.ts";

const text = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed());
const key = text.filter((value) => value.length > 0);
const plain = fc.dictionary(text, fc.jsonValue()).map((event) => JSON.stringify(event));
const sealed = fc.uint8Array({ maxLength: 200 });

const record: fc.Arbitrary<LineRecord> = fc
  .record({
    seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    ts: fc
      .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    left: fc.integer({ min: 0, max: 99_999 }),
    payload: fc.oneof(plain, sealed),
    key: fc.option(key, { nil: undefined }),
  })
  .map(({ key: given, ...rest }) => (given === undefined ? rest : { ...rest, key: given }));

function comparable({ payload, ...rest }: LineRecord): unknown {
  return { ...rest, payload: typeof payload === "string" ? payload : Buffer.from(payload) };
}

test("decodeRecord() gives back what encodeRecord() was given", () => {
  fc.assert(
    fc.property(record, (given) => {
      const line = encodeRecord(given);
      const found = decodeRecord(line, 0, line.length - 1);
      expect(found).not.toBeNull();
      expect(comparable(found as LineRecord)).toEqual(comparable(given));
      expect(encodeRecord(found as LineRecord).equals(line)).toBe(true);
      expect(peekSeq(line, 0)).toBe(given.seq);
    }),
    { seed: 11, numRuns: 1_000 },
  );
});

test("encodeRecord() writes one line of JSON", () => {
  fc.assert(
    fc.property(record, (given) => {
      const line = encodeRecord(given);
      expect(line.indexOf(newline)).toBe(line.length - 1);
      const parsed = JSON.parse(line.toString("utf8")) as { seq: number; event?: unknown };
      expect(parsed.seq).toBe(given.seq);
      if (typeof given.payload === "string") {
        expect(parsed.event).toEqual(JSON.parse(given.payload));
      }
    }),
    { seed: 12, numRuns: 500 },
  );
});

test("decodeRecord() refuses a line with any byte changed", () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, change) => {
      const line = encodeRecord(given);
      const offset = place % (line.length - 1);
      line.writeUInt8(line.readUInt8(offset) ^ change, offset);
      expect(decodeRecord(line, 0, line.length - 1)).toBeNull();
    }),
    { seed: 13, numRuns: 2_000 },
  );
});

test("decodeRecord() refuses every cut of a line, and a line with anything around it", () => {
  const line = encodeRecord({
    seq: 12,
    ts: "2026-01-31T12:00:00.000Z",
    left: 3,
    key: 'k"\\\u2028',
    payload: '{"a":"b"}',
  });
  const end = line.length - 1;
  expect(decodeRecord(line, 0, end)).not.toBeNull();
  for (let start = 0; start <= end; start += 1) {
    for (let stop = start; stop <= end; stop += 1) {
      if (start === 0 && stop === end) continue;
      expect(decodeRecord(line, start, stop), `${start} to ${stop}`).toBeNull();
    }
  }
  expect(decodeRecord(line, 0, line.length)).toBeNull();
  const spaced = Buffer.concat([Buffer.from(" "), line]);
  expect(decodeRecord(spaced, 0, spaced.length - 1)).toBeNull();
  expect(decodeRecord(spaced, 1, spaced.length - 1)).not.toBeNull();
});

test("decodeRecord() accepts one spelling of sealed bytes", () => {
  const ts = "2026-01-31T12:00:00.000Z";
  const line = encodeRecord({ seq: 1, ts, left: 0, payload: Uint8Array.from([255, 239]) });
  expect(line.toString("latin1")).toContain('"sealed":"_-8"');
});

test("decodeHeader() gives back what encodeHeader() was given", () => {
  const header = fc.record({
    version: fc.integer({ min: 1, max: 9 }),
    id: text,
    generation: fc.string({ unit: fc.constantFrom("0", "5", "a", "f"), minLength: 32 }),
    pipeline: text,
    created: fc.constant("2026-01-31T12:00:00.000Z"),
  });
  fc.assert(
    fc.property(header, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, change) => {
      const line = encodeHeader(given);
      expect(decodeHeader(line, line.length - 1)).toEqual(given);
      const offset = place % (line.length - 1);
      line.writeUInt8(line.readUInt8(offset) ^ change, offset);
      expect(decodeHeader(line, line.length - 1)).toBeNull();
    }),
    { seed: 14, numRuns: 1_000 },
  );
});

test("decodeHeader() refuses a record, and decodeRecord() a header", () => {
  const ts = "2026-01-31T12:00:00.000Z";
  const generation = "0123456789abcdef0123456789abcdef";
  const header = encodeHeader({ version: 1, id: "s", generation, pipeline: "plain", created: ts });
  const line = encodeRecord({ seq: 1, ts, left: 0, payload: "{}" });
  expect(decodeHeader(line, line.length - 1)).toBeNull();
  expect(decodeRecord(header, 0, header.length - 1)).toBeNull();
  expect(peekSeq(header, 0)).toBeNull();
});
