import { describe, expect, it } from "vitest";
import { importTargets } from "./import-targets.ts";

const idsOf = (...files: string[]): string[] => {
  return importTargets(files, undefined).map(({ sessionId }) => sessionId);
};

describe("importTargets()", () => {
  it("names a session after its file, without directory and last extension", () => {
    const files = ["a/b/run.jsonl", "./x.chunks.txt", "../plain", ".jsonl"];
    expect(idsOf(...files)).toEqual(["run", "x.chunks", "plain", ".jsonl"]);
  });

  it("names files that would share a name after their paths", () => {
    expect(idsOf("a/x.jsonl", "./b//x.json", "y.jsonl")).toEqual(["a/x.jsonl", "b/x.json", "y"]);
  });

  it("refuses the same file twice", () => {
    expect(() => idsOf("a/x.jsonl", "./a/x.jsonl")).toThrow("Two files would become session");
  });

  it("refuses a path that would be another file's name", () => {
    expect(() => idsOf("x.y", "d/x.z", "x.y.w")).toThrow("Two files would become session x.y");
  });

  it("takes a given name for one file only", () => {
    expect(importTargets(["a.jsonl"], "-n")).toEqual([{ file: "a.jsonl", sessionId: "-n" }]);
    expect(() => importTargets(["a", "b"], "n")).toThrow("takes one file");
  });

  it("wants a name for standard input", () => {
    expect(() => idsOf("-")).toThrow("--session");
    expect(importTargets(["-"], "n")).toEqual([{ file: "-", sessionId: "n" }]);
  });

  it("refuses a name that no session can have", () => {
    expect(() => importTargets(["a"], "x\u0000")).toThrow("Invalid session id");
    expect(() => idsOf(`${"x".repeat(600)}.jsonl`)).toThrow("Invalid session id");
  });
});
