import { describe, expect, it } from "vitest";
import { parseKeyLines, withoutDecryptOnly, withPrimary } from "./key-lines.ts";

describe("parseKeyLines()", () => {
  it("takes a key alone as the primary", () => {
    const expected = [{ state: "primary", secret: "KEY", number: 1 }];
    for (const text of ["KEY", "KEY\n", " KEY \r\n", "\ufeffKEY\n"]) {
      expect(parseKeyLines(text, "f")).toEqual(expected);
    }
  });

  it("skips comments and empty lines, and counts them", () => {
    const text = "# mine\n\nprimary A\r\n\tdecrypt-only\t B\ndisabled C\n";
    expect(parseKeyLines(text, "f")).toEqual([
      { state: "primary", secret: "A", number: 3 },
      { state: "decrypt-only", secret: "B", number: 4 },
      { state: "disabled", secret: "C", number: 5 },
    ]);
  });

  it.each([
    ["primary A\nsecondary SECRET\n", "f, line 2: wanted"],
    ["primary A SECRET", "f, line 1: wanted"],
    ["primary\n", "f, line 1: wanted"],
    ["A\nprimary SECRET", "f, line 2: a second primary key"],
    ["decrypt-only SECRET\n", "f: there is no primary key in it"],
    ["", "f: there is no primary key in it"],
  ])("refuses %j and repeats none of it", (text, message) => {
    expect(() => parseKeyLines(text, "f")).toThrow(message);
    expect(() => parseKeyLines(text, "f")).not.toThrow("SECRET");
  });
});

describe("a rotation of the text", () => {
  const added = { secret: "NEW", id: "0123456789abcdef", date: "2026-01-31" };

  it("puts the new key first and keeps every other line", () => {
    expect(withPrimary("OLD\n", added)).toBe(
      "# key 0123456789abcdef, 2026-01-31\nprimary NEW\ndecrypt-only OLD\n",
    );
    expect(withPrimary("# a\nprimary OLD\ndisabled X\n", added)).toBe(
      "# key 0123456789abcdef, 2026-01-31\nprimary NEW\n# a\ndecrypt-only OLD\ndisabled X\n",
    );
  });

  it("drops what only decrypts, with the comment that a rotation wrote", () => {
    const twice = withPrimary(withPrimary("OLD\n", added), { ...added, secret: "NEWER" });
    expect(withoutDecryptOnly(`${twice}# mine\ndisabled X\n`)).toBe(
      "# key 0123456789abcdef, 2026-01-31\nprimary NEWER\n# mine\ndisabled X\n",
    );
  });
});
