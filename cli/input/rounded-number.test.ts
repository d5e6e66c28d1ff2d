import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberThatChanges } from "./rounded-number.ts";

describe("numberThatChanges()", () => {
  it.each([
    "12345678901234567890",
    "9007199254740993",
    "-9007199254740993.0",
    "0.1000000000000000055511151231257827",
    "1e999",
    "-1e999",
    "1e-999",
    "1718362800.1234567890",
    "5e-325",
    `1${"0".repeat(400)}`,
  ])("finds %s", (number) => {
    expect(numberThatChanges(number)).toEqual({ number, index: 0 });
    expect(numberThatChanges(`{"a":["\\"",${number}]}`)).toEqual({ number, index: 11 });
  });

  it.each([
    "0",
    "-0",
    "-0.000000000000000000",
    "0e999",
    "1.0",
    "1.50000000000000000000",
    "1E100",
    "100000000000000000000000",
    "9007199254740992",
    "0.30000000000000004",
    "5e-324",
    "1.7976931348623157e308",
    "0.000000000000000000001",
    '"12345678901234567890"',
    '"\\\\\\"12345678901234567890"',
    '["\\\\",1,"12345678901234567890"]',
    '{"12345678901234567890":1}',
  ])("lets %s be", (text) => {
    expect(numberThatChanges(text)).toBeNull();
  });

  it("lets every double in every notation of JavaScript be", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, (value) => {
        expect(numberThatChanges(JSON.stringify(value))).toBeNull();
        expect(numberThatChanges(value.toExponential())).toBeNull();
      }),
    );
  });

  it("agrees with exact arithmetic on whole numbers", () => {
    const digits = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    fc.assert(
      fc.property(digits, fc.nat({ max: 20 }), (significant, zeros) => {
        const value = significant * 10n ** BigInt(zeros);
        const survives = exactly(String(Number(value))) === value;
        expect(numberThatChanges(String(value)) === null).toBe(survives);
      }),
    );
  });
});

/** The whole number that JavaScript printed, perhaps as 1.25e+30. */
function exactly(printed: string): bigint {
  const [mantissa = "", exponent = "0"] = printed.split("e+");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(Number(exponent) - fraction.length);
}
