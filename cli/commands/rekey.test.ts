import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;
let ckpt: BoundRun;

beforeEach(async () => {
  folder = await sealedFolder();
  ckpt = folder.on(`file:${folder.path("store")}`);
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe("ckpt rekey", () => {
  it("seals sessions anew under a primary key that was put in by hand, one or all", async () => {
    const stdin = folder.transcript(3);
    for (const session of ["a", "b"]) await ckpt(["import", "-", "--session", session], { stdin });
    const next = await folder.addKeyFile("next.key");
    const [mine, others] = await Promise.all([
      readFile(folder.keyFile, "utf8"),
      readFile(next, "utf8"),
    ]);
    await writeFile(next, `primary ${others}decrypt-only ${mine}`);
    const keyed = ["--key-file", next];
    expect((await ckpt(["rekey", "b", ...keyed])).out).toBe("b: 3 records sealed anew\n");
    expect((await ckpt(["rekey", ...keyed])).out).toBe(
      "a: 3 records sealed anew\nb: nothing under another key in it\n",
    );
    await writeFile(next, others);
    for (const session of ["a", "b"]) {
      expect((await ckpt(["export", session, ...keyed])).out).toBe(stdin);
    }
  });

  it("gives a session another key of its own first with --renew", async () => {
    const keyed = ["--key-store", `file:${folder.path("keys")}`];
    const stdin = folder.transcript(2);
    await ckpt(["import", "-", "--session", "a", ...keyed], { stdin });
    expect((await ckpt(["rekey", ...keyed])).out).toBe("a: nothing under another key in it\n");
    const renewed = await ckpt(["rekey", "a", "--renew", ...keyed]);
    expect(renewed).toMatchObject({ code: 0, out: "a: 2 records sealed anew\n" });
    expect((await ckpt(["export", "a", ...keyed])).out).toBe(stdin);
  });

  it.each([
    [["rekey", "--key-file", "none"], exitCodes.usage, "Name the key to seal with"],
    [["rekey", "a", "--renew"], exitCodes.usage, "--renew: wanted a session and --key-store"],
    [["rekey", "nope"], exitCodes.failed, "No session nope"],
  ])("refuses %j", async (words, code, message) => {
    await ckpt(["import", "-", "--session", "a"], { stdin: "{}" });
    const refused = await ckpt(words);
    expect(refused).toMatchObject({ code, out: "" });
    expect(refused.errors).toContain(`ckpt: ${message}`);
  });
});
