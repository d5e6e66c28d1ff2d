import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cells, fit, padCells } from "./width.ts";

describe("cells()", () => {
  it.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["🙂", 2],
    ["한", 2],
  ])("counts %s as %i", (text, expected) => {
    expect(cells(text)).toBe(expected);
  });
});

describe("fit()", () => {
  it("leaves text that fits alone", () => {
    expect(fit("日本", 4)).toBe("日本");
  });

  it("cuts text that does not, with an ellipsis", () => {
    expect(fit("abcdef", 4)).toBe("abc…");
    expect(fit("日本語", 5)).toBe("日本…");
    expect(fit("日本語", 4)).toBe("日…");
  });

  it("never takes more cells than there are", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 30 }),
        (text, columns) => {
          expect(cells(fit(text, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe("padCells()", () => {
  it("fills up to the width in cells", () => {
    expect(padCells("日", 4)).toBe("日  ");
    expect(padCells("longer", 4)).toBe("longer");
  });
});
