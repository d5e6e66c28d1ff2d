import { expect, it } from "vitest";
import { shorten } from "./drawing.ts";
import { hues, subjectStyles } from "./subject-style.ts";

function subjectOf(
  name: string,
  plain: string | null,
): Parameters<typeof subjectStyles>[0][number] {
  return { name, plain, floor: "", durability: "", concurrency: "" };
}

it("subjectStyles() gives a family one hue, and each of its stores a look of its own", () => {
  const styles = subjectStyles([
    subjectOf("sqlite, sealed", "sqlite"),
    subjectOf("sqlite", null),
    subjectOf("file", null),
    subjectOf("sqlite, small", "sqlite"),
  ]);
  expect([...styles]).toEqual([
    ["sqlite, sealed", { hue: 0, variant: 1 }],
    ["sqlite", { hue: 0, variant: 0 }],
    ["file", { hue: 1, variant: 0 }],
    ["sqlite, small", { hue: 0, variant: 2 }],
  ]);
});

it("subjectStyles() tells twelve families apart", () => {
  const names = Array.from({ length: 2 * hues }, (_, index) => `store ${index}`);
  const styles = subjectStyles(names.map((name) => subjectOf(name, null)));
  const looks = [...styles.values()].map((style) => JSON.stringify(style));
  expect(new Set(looks).size).toBe(names.length);
});

it("shorten() keeps both ends of a name", () => {
  expect(shorten("sqlite, compress + aes-gcm", 16)).toBe("sqlite,…aes-gcm");
  expect(shorten("sqlite, sealed", 16)).toBe("sqlite, sealed");
});
