import fc from "fast-check";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeName, encodeName, sessionFiles } from "./session-files.ts";

/** Any id that the engine lets through. */
const sessionId = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 120 }),
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 512 }),
    fc.string({
      unit: fc.constantFrom(
        "a",
        "A",
        "%",
        ".",
        "/",
        "\\",
        " ",
        "~",
        "_",
        "é",
        "e\u0301",
        "\u{1f600}",
      ),
      minLength: 1,
      maxLength: 100,
    }),
  )
  .filter((id) => !id.includes("\0") && id.isWellFormed() && Buffer.byteLength(id) <= 512);

/** Ids that one system or another takes for the same file, for none, or for something else. */
const delicate = [
  "a/b a_b a\\b a:b A a é e\u0301 . .. ... con CON con.txt prn aux nul com1 com¹ lpt9".split(" "),
  "%2f %2F % %% ~ -rf a.jsonl a.lock a.owner a.want index LPT0 ＣＯＮ ß SS ﬁ fi".split(" "),
  [" ", "a ", " a", "a.", "\t", "\n", "\u2028", "\u{1f600}", "/", "/etc/passwd", "../../x"],
  ["x".repeat(180), "x".repeat(181), "x".repeat(512), `${"x".repeat(511)}y`, "é".repeat(256)],
].flat();

test("encodeName() is legal everywhere", () => {
  const legal = (id: string): void => {
    const name = encodeName(id);
    expect(name).toMatch(/^[a-z0-9_%~-]{1,180}$/);
    expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/);
  };
  delicate.forEach(legal);
  fc.assert(fc.property(sessionId, legal), { seed: 1, numRuns: 1_000 });
});

test("encodeName() gives different ids names that differ on every file system", () => {
  const names = delicate.map((id) => encodeName(id).normalize("NFD").toLowerCase());
  expect(new Set(names).size).toBe(new Set(delicate).size);
  fc.assert(
    fc.property(sessionId, sessionId, (left, right) => {
      expect(encodeName(left) === encodeName(right)).toBe(left === right);
    }),
    { seed: 2, numRuns: 1_000 },
  );
});

test("decodeName() gives the id back, or says that the header has it", () => {
  const returns = (id: string): void => {
    const name = encodeName(id);
    expect(decodeName(`${name}.jsonl`)).toBe(name.includes("~") ? null : id);
  };
  delicate.forEach(returns);
  fc.assert(fc.property(sessionId, returns), { seed: 3, numRuns: 1_000 });
});

test("decodeName() knows no other spelling of a name", () => {
  const names = "A %61 %2F %2 %zz % %C3%A9 %00 é a~b con com1 .. a%2 a.b".split(" ");
  for (const name of names) expect(decodeName(`${name}.jsonl`), name).toBeUndefined();
  for (const name of ["a", "a.json", ".jsonl", "a.jsonl.tmp", "a.lock", ""]) {
    expect(decodeName(name), name).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 1 }), (name) => {
      const id = decodeName(`${name}.jsonl`);
      if (typeof id === "string") expect(encodeName(id)).toBe(name);
    }),
    { seed: 4, numRuns: 1_000 },
  );
});

test("sessionFiles() stays inside the directory", () => {
  for (const id of delicate) {
    const { log, lock, owner, want } = sessionFiles("/store", id);
    for (const path of [log, lock, owner, want]) {
      expect(join("/store", path.slice("/store/".length)), id).toBe(path);
      expect(path.slice("/store/".length), id).not.toContain("/");
    }
  }
});
