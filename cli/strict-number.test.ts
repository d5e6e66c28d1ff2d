import { describe, expect, it } from "vitest";
import { strictNumber } from "./strict-number.ts";

describe("strictNumber()", () => {
  it.each(["", " ", "1e3", "-1", "+1", "1.0", "0x10", "007", "abc", "1 ", "١", "9007199254740992"])(
    "refuses %j",
    (text) => {
      expect(() => strictNumber()(text)).toThrow("Wanted a whole number from 0.");
    },
  );

  it("takes whole numbers in plain digits", () => {
    expect(["0", "7", "9007199254740991"].map(strictNumber())).toEqual([0, 7, 2 ** 53 - 1]);
  });

  it("keeps to its bounds", () => {
    const parse = strictNumber({ min: 1, max: 10 });
    expect([parse("1"), parse("10")]).toEqual([1, 10]);
    for (const text of ["0", "11"]) {
      expect(() => parse(text)).toThrow("Wanted a whole number from 1 to 10.");
    }
  });
});
