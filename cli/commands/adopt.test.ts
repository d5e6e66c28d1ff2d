import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { canary, sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;

beforeEach(async () => {
  folder = await sealedFolder();
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe.each(["file", "sqlite"])("ckpt adopt, on a %s: store", (scheme) => {
  it("seals what was written plain, and nothing twice", async () => {
    const ckpt = folder.on(`${scheme}:${folder.path("store")}`);
    const stdin = folder.transcript(3);
    for (const session of ["a", "b"]) {
      await ckpt(["import", "-", "--session", session, "--key-file", "none"], { stdin });
    }
    expect((await ckpt(["show", "a"])).errors).toContain("ckpt adopt seals it");
    const one = await ckpt(["adopt", "a"]);
    expect(one).toMatchObject({ code: 0, out: "a: 3 records sealed\n", errors: "" });
    const all = await ckpt(["adopt", "--json"]);
    expect(
      all.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { session: "b", records: 3, shredded: false },
      { session: "a", records: 0, shredded: false },
    ]);
    for (const session of ["a", "b"]) expect((await ckpt(["export", session])).out).toBe(stdin);
    if (scheme === "file") expect(await folder.filesWith(canary)).toEqual([]);
  });

  it("makes a key store where there is none, but no store", async () => {
    const ckpt = folder.on(`${scheme}:${folder.path("store")}`);
    const keyed = ["--key-store", `${scheme}:${folder.path("keys")}`];
    expect(await ckpt(["adopt", ...keyed])).toMatchObject({ code: exitCodes.failed });
    const words = ["import", "-", "--session", "a", "--key-file", "none"];
    await ckpt(words, { stdin: folder.transcript(2) });
    expect(await ckpt(["adopt", ...keyed])).toMatchObject({ code: 0 });
    expect((await ckpt(["export", "a", ...keyed])).out).toBe(folder.transcript(2));
  });

  it("needs a key", async () => {
    const ckpt = folder.on(`${scheme}:${folder.path("store")}`, { CHECKPOINTER_KEY_FILE: "" });
    const { code, errors } = await ckpt(["adopt"]);
    expect(code).toBe(exitCodes.usage);
    expect(errors).toBe("ckpt: Name a key to seal with: --key-file <path>\n");
  });
});
