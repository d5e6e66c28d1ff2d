import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

const key = `${"Ab0+/-_".repeat(6)}A=`;

describe("redact()", () => {
  it.each([
    ["postgres://user:secret@host/db", "postgres://user:***@host/db"],
    ["postgres://user:se@cr/et@host/db", "postgres://user:***@host/db"],
    ["see POSTGRES://:secret@host now", "see POSTGRES://:***@host now"],
    ["host=h password=secret user=u", "host=h password=*** user=u"],
    ["password = 'two words' x", "password = *** x"],
    ["postgres://host/db?user=u&password=secret&x=1", "postgres://host/db?user=u&password=***&x=1"],
    ["file:./sessions", "file:./sessions"],
    [`no file ${key}`, "no file ***"],
    [`--key-file=${key}: no`, "--key-file=***: no"],
    ["x $ckpt-scrypt$v=1$ln=17,r=8,p=1$abc$def y", "x *** y"],
    [`sha256 ${"0123456789abcdef".repeat(4)}`, `sha256 ${"0123456789abcdef".repeat(4)}`],
  ])("turns %s into %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it("takes no long time over a long argument", () => {
    const started = performance.now();
    redact("a".repeat(200_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
