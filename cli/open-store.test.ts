import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import { findStore, storeSchemes } from "./open-store.ts";
import { capturedRun } from "./testing/captured-run.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ckpt-store-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(["file", "sqlite"])("%s:", (scheme) => {
  const spec = (name: string): string => `${scheme}:${join(folder, name)}`;

  it.each([
    ["ls"],
    ["show", "s"],
    ["tail", "-f", "s"],
    ["export", "s"],
    ["fork", "s", "1", "t"],
    ["truncate", "s", "1"],
    ["rm", "s"],
    ["verify"],
    ["repair", "s"],
    ["stats"],
  ])("a missing store is not created by ckpt %s", async (...words) => {
    const { code, out, errors } = await capturedRun([...words, "--store", spec("nope")]);
    expect({ code, out }).toEqual({ code: exitCodes.failed, out: "" });
    expect(errors).toBe(`ckpt: No store at ${spec("nope")}\n`);
    expect(await readdir(folder)).toEqual([]);
  });

  it("a missing source of ckpt copy creates nothing, the target included", async () => {
    const { code } = await capturedRun(["copy", spec("nope"), spec("target")]);
    expect(code).toBe(exitCodes.failed);
    expect(await readdir(folder)).toEqual([]);
  });

  it("keeps sessions from one run to the next", async () => {
    const store = ["--store", spec("made")];
    const stdin = '{"n":1}\n"two"\n';
    const words = ["import", "-", "--session", "s", ...store];
    expect(await capturedRun(words, { stdin })).toMatchObject({ code: 0, errors: "" });
    expect(await capturedRun(["export", "s", ...store])).toMatchObject({ out: stdin });
    expect(await capturedRun(["verify", ...store])).toMatchObject({ code: 0 });
    expect(await capturedRun(["show", "nope", ...store])).toMatchObject({ code: exitCodes.failed });
  });

  it("takes an absolute path as in a URL, and characters literally", async () => {
    const name = "a b%20c";
    const words = ["import", "-", "--session", "s", "--store", `${scheme}://${join(folder, name)}`];
    expect(await capturedRun(words, { stdin: "{}" })).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, name))).toBe(true);
  });
});

describe("findStore()", () => {
  it("opens an empty memory store", async () => {
    const open = await findStore(storeSchemes, "memory:", "fail");
    const store = await open({});
    expect(await store.list()).toEqual([]);
    await store.close();
  });
});
