import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRecordBytes } from "./collector.ts";
import { readRecords } from "./read-records.ts";

const encode = (text: string): Buffer => Buffer.from(text, "utf8");

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function valuesOf(
  input: string | Uint8Array,
  { size = 7, lines = false, allowRounding = false } = {},
): Promise<unknown[]> {
  const bytes = typeof input === "string" ? encode(input) : input;
  const values: unknown[] = [];
  for await (const { value } of readRecords(chunked(bytes, size), { lines, allowRounding })) {
    values.push(value);
  }
  return values;
}

describe("readRecords() tells the format by content", () => {
  it.each([
    ["nothing", "", []],
    ["blank lines", "\n \r\n\t\n", []],
    ["lines", '{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ["a last line without a line feed", '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ["carriage returns and blank lines", '\r\n{"a":1}\r\n\r\n{"b":2}\r\n', [{ a: 1 }, { b: 2 }]],
    ["scalar lines", '"x"\n7\nnull\ntrue\n', ["x", 7, null, true]],
    ["lines of which the first is an array", "[1,2]\n[3]\n", [[1, 2], [3]]],
    ["an array on one line", "[1,[2],{}]\n", [1, [2], {}]],
    ["an array over several lines", '[\n  {"a": 1},\n  "]"\n]\n', [{ a: 1 }, "]"]],
    ["an array that begins on a line that is none", "[[1],\n[2]]", [[1], [2]]],
    ["an empty array", " [ ]\n", []],
    ["one document", '{\n  "a": [\n 1 ] }\n', [{ a: [1] }]],
    ["one document on a line", '{"a":1}', [{ a: 1 }]],
    ["a byte order mark", '\ufeff{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ["separators that JSON allows in strings", '"\u2028"\n"\u0085"\n', ["\u2028", "\u0085"]],
    ["unpaired surrogates as escapes", '"\\ud800"\n', ["\ud800"]],
  ])("reads %s", async (_name, text, values) => {
    for (const size of [1, 2, 3, 1000]) expect(await valuesOf(text, { size })).toEqual(values);
  });

  it("takes a lone array as one record when told that lines are records", async () => {
    expect(await valuesOf("[1,2]\n", { lines: true })).toEqual([[1, 2]]);
  });

  it("keeps __proto__ as an ordinary key", async () => {
    const [value] = await valuesOf('{"__proto__":{"a":1}}\n');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });
});

describe("readRecords() gives back what was written", () => {
  const sizes = fc.integer({ min: 1, max: 64 });

  it("as lines", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 2 }), sizes, async (values, size) => {
        const text = values.map((value) => JSON.stringify(value)).join("\n");
        expect(await valuesOf(text, { size })).toEqual(
          JSON.parse(`[${text.replaceAll("\n", ",")}]`),
        );
      }),
    );
  });

  it("as an array with any white space", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.constantFrom(0, 2, "\t"),
        sizes,
        async (values, indent, size) => {
          const text = JSON.stringify(values, null, indent);
          expect(await valuesOf(text, { size })).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it("accepting as arrays exactly what JSON.parse accepts", async () => {
    const pieces = ["[", "]", "{", "}", ",", ":", '"', "\\", "1", "true", " ", "\n", '"a"', "é"];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(soup, sizes, async (rest, size) => {
        // Two opening lines that are no JSON by themselves rule out the other formats.
        const text = `[\n1${rest}`;
        let parsed: unknown = null;
        try {
          parsed = JSON.parse(text);
        } catch {
          await expect(valuesOf(text, { size })).rejects.toThrow(/line \d+/);
          return;
        }
        expect(await valuesOf(text, { size })).toEqual(parsed);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("readRecords() names the place of what it cannot take", () => {
  it.each([
    [
      "a torn last line",
      '{"a":1}\n{"b":',
      "line 2, byte 6: not JSON: Unexpected end of JSON input",
    ],
    ["a bad line", '{"a":1}\n{"b" 2}\n', "line 2, byte 6: not JSON"],
    ["a word", '{"a":1}\n\nnope\n', "line 3: not JSON: Unexpected token"],
    ["two values on a line", '{"a":1}\n{} {}\n', "line 2, byte 4: not JSON"],
    ["a torn first line", '{"a":\n{"b":2}\n', "the first line alone is not JSON"],
    ["a document over lines", '{\n "é": 1,\n}\n', "line 3, byte 1: not JSON"],
    ["an empty element", "[\n1,\n,2]", "line 3, byte 1: not JSON"],
    ["a trailing comma", "[\n1,\n]", "line 3, byte 1: not JSON"],
    ["an array without an end", "[\n1,\n2", "line 3, byte 2: not JSON: the array does not end"],
    ["something behind an array", "[\n1\n]\nx", "line 4, byte 1: not JSON: the array ends before"],
    ["a wrong bracket", "[\n1\n}", "line 3, byte 1: not JSON: the array ends before"],
    ["a byte order mark further in", '{"a":1}\n\ufeff{}\n', "line 2: not JSON"],
  ])("%s", async (_name, text, message) => {
    for (const size of [1, 1000]) {
      await expect(valuesOf(text, { size })).rejects.toThrow(message);
    }
  });

  it.each([
    ["a byte that UTF-8 never has", [0x22, 0xc3, 0xa9, 0xff, 0x22], "line 2, byte 4: not UTF-8"],
    ["a character cut short", [0x22, 0xe2, 0x82, 0x22], "line 2, byte 4: not UTF-8"],
    ["a line that ends inside a character", [0x22, 0xe2, 0x82], "line 2, byte 3: not UTF-8"],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22], "line 2, byte 3: not UTF-8"],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22], "line 2, byte 2: not UTF-8"],
  ])("%s", async (_name, bytes, message) => {
    const input = Buffer.concat([encode("{}\n"), Buffer.from(bytes)]);
    await expect(valuesOf(input, { size: 1000 })).rejects.toThrow(message);
  });

  it("UTF-16, which has a byte order mark of its own", async () => {
    const input = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"a":1}\n', "utf16le")]);
    await expect(valuesOf(input)).rejects.toThrow("line 1, byte 1: not UTF-8");
  });

  it("a record over the limit, without holding more of it", async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield encode('"');
      const piece = Buffer.alloc(1024 * 1024, "a");
      for (;;) {
        pulled += piece.length;
        yield piece;
      }
    }
    const records = readRecords(endless(), { lines: false, allowRounding: false });
    await expect(records.next()).rejects.toThrow("line 1, byte 1: a record is over 64 MiB");
    expect(pulled).toBeLessThanOrEqual(maxRecordBytes + 1024 * 1024);
  });
});

describe("readRecords() refuses numbers that would change", () => {
  it.each([
    ['{"a":1}\n{"id":12345678901234567890}\n', "line 2, byte 7: the number 12345678901234567890"],
    ['{"é":9007199254740993}\n{}', "line 1, byte 7: the number 9007199254740993 would become"],
    ['[\n"12345678901234567890",\n[0.12345678901234567890]]', "line 3, byte 2: the number"],
  ])("%s", async (text, message) => {
    await expect(valuesOf(text)).rejects.toThrow(message);
    expect(await valuesOf(text, { allowRounding: true })).toHaveLength(2);
  });

  it("and those that are no number at all to JavaScript, always", async () => {
    const rounding = valuesOf("1e999\n2\n", { allowRounding: true });
    await expect(rounding).rejects.toThrow("line 1, byte 1: the number 1e999 is too large");
  });
});

describe("readRecords() streams", () => {
  it("hands out a record before it reads the next chunk", async () => {
    let pulled = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let line = 1; ; line += 1) {
        pulled = line;
        yield encode(`{"line":${line}}\n`);
      }
    }
    for await (const { line } of readRecords(source(), { lines: false, allowRounding: false })) {
      expect(pulled).toBeLessThanOrEqual(line + 1);
      if (line === 1000) break;
    }
  });

  it("closes its source when the consumer stops", async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield encode("[1]\n");
      } finally {
        closed = true;
      }
    }
    for await (const _ of readRecords(source(), { lines: false, allowRounding: false })) break;
    expect(closed).toBe(true);
  });
});
