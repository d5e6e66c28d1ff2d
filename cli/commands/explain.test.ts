import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { properties } from "../../conformance/properties/index.ts";
import { capturedRun } from "../testing/captured-run.ts";

const explain = (...words: string[]) => capturedRun(["explain", ...words]);

describe("ckpt explain", () => {
  it("lists every property once, by group", async () => {
    const { code, out, errors } = await explain();
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const ids = [...out.matchAll(/^ {2}(\S+) +L\d /gm)].map(([, id]) => id);
    expect(ids).toHaveLength(properties.length);
    expect(new Set(ids)).toEqual(new Set(properties.map(({ id }) => id)));
    const groups = out.split("\n").filter((line) => /^\S/.test(line));
    expect(groups).toEqual([...new Set(properties.map(({ group }) => group))]);
  });

  it("tells everything about one property, however its id is written", async () => {
    const { out } = await explain("p64");
    const property = properties.find(({ id }) => id === "P64")!;
    expect(out.split("\n")[0]).toBe(`P64  ${property.statement}`);
    for (const text of [property.reason, property.group, property.cases[0]!.name]) {
      expect(out).toContain(text);
    }
    expect(out).toContain("https://github.com/PrimeIntellect-ai/prime-agent/issues/1785");
  });

  it("tells everything about a level, or about all", async () => {
    for (const [name, chosen] of [
      ["L2", properties.filter(({ level }) => level === "L2")],
      ["all", properties],
    ] as const) {
      const { out } = await explain(name);
      expect(out.match(/^ {2}why /gm)).toHaveLength(chosen.length);
    }
  });

  it("prints an object a property with --json", async () => {
    const { out } = await explain("L1", "--json");
    const entries = out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const ids = properties.filter(({ level }) => level === "L1").map(({ id }) => ({ id }));
    expect(entries).toMatchObject(ids);
  });

  it("names the nearest ids for one that is not there", async () => {
    const { code, out, errors } = await explain("P54\u001b[2J9");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    const start = String.raw`ckpt: There is no property "P54\u001b[2J9"; nearest are P54, P5`;
    expect(errors.startsWith(start)).toBe(true);
    expect((await explain("x")).errors).toMatch(/nearest are \w+, \w+, \w+\n$/);
  });
});

it("docs/cli.md shows what ckpt explain prints", async () => {
  const text = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const [, id = "", shown] = /```console\n\$ ckpt explain (\w+)\n([^]*?)```/.exec(text) ?? [];
  expect((await explain(id)).out).toBe(shown);
});
