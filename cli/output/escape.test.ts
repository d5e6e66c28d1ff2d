import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, jsonLine, showId } from "./escape.ts";

const hostile = [
  ["NUL", "\u0000"],
  ["bell", "\u0007"],
  ["backspace", "\b"],
  ["line feed", "\n"],
  ["carriage return", "\r"],
  ["escape", "\u001b"],
  ["delete", "\u007f"],
  ["C1 next line", "\u0085"],
  ["C1 control sequence introducer", "\u009b"],
  ["soft hyphen", "\u00ad"],
  ["Arabic letter mark", "\u061c"],
  ["Hangul filler", "\u3164"],
  ["zero width space", "\u200b"],
  ["zero width joiner", "\u200d"],
  ["right-to-left mark", "\u200f"],
  ["line separator", "\u2028"],
  ["paragraph separator", "\u2029"],
  ["right-to-left override", "\u202e"],
  ["word joiner", "\u2060"],
  ["first strong isolate", "\u2068"],
  ["byte order mark", "\ufeff"],
  ["tag letter", "\u{e0041}"],
  ["variation selector 17", "\u{e0100}"],
  ["unpaired surrogate", "\ud800"],
] as const;

describe.each(hostile)("%s", (_name, character) => {
  it("does not reach the terminal as text, as JSON or in an id", () => {
    for (const print of [escapeText, jsonLine, showId]) {
      const printed = print(`a${character}b`);
      expect(printed).not.toContain(character);
      expect(printed).toMatch(/^"?a\\(?:[nrtb]|u[0-9a-f]{4}(?:\\u[0-9a-f]{4})?)b"?$/);
    }
  });
});

describe("escapeText()", () => {
  it.each(["plain", "naïve", "日本語", "🙂", "❤️", "עברית", "a\\b"])("leaves %s alone", (text) => {
    expect(escapeText(text)).toBe(text);
  });

  it("leaves no control or format character in anything", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe("jsonLine()", () => {
  it("is one line that parses to an equal value", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.jsonValue())), (value) => {
        const line = jsonLine(value);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("showId()", () => {
  it("shows different ids differently", () => {
    const id = fc.oneof(fc.string(), fc.constantFrom("a", '"a"', "a\\n", "a\n", " a", "a ", "-x"));
    fc.assert(
      fc.property(id, id, (left, right) => {
        expect(showId(left) === showId(right)).toBe(left === right);
      }),
    );
  });

  it("shows ordinary ids bare", () => {
    expect(["a/b.c", "agent-1", "日本"].map(showId)).toEqual(["a/b.c", "agent-1", "日本"]);
  });
});
