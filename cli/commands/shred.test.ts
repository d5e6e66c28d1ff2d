import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;

beforeEach(async () => {
  folder = await sealedFolder();
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe.each(["file", "sqlite"])("ckpt shred, with session keys in %s:", (scheme) => {
  let ckpt: BoundRun;
  let keyed: string[];

  beforeEach(async () => {
    keyed = ["--key-store", `${scheme}:${folder.path("keys")}`];
    ckpt = folder.on(`sqlite:${folder.path("s.db")}`);
    for (const session of ["a", "b"]) {
      const stdin = folder.transcript(2);
      await ckpt(["import", "-", "--session", session, ...keyed], { stdin });
    }
  });

  it("makes one session unreadable, without any key", async () => {
    const keyless = folder.on("", { CHECKPOINTER_KEY_FILE: "" });
    const { code, out, errors } = await keyless(["shred", "a", "--yes", ...keyed]);
    expect({ code, out, errors }).toEqual({ code: 0, out: "a: shredded\n", errors: "" });
    const shown = await ckpt(["show", "a", ...keyed]);
    expect(shown).toMatchObject({ code: exitCodes.damaged, out: "" });
    expect(shown.errors).toMatch(/^ckpt: .*\(KEY_SHREDDED\)\n$/);
    expect((await ckpt(["verify", "a", ...keyed])).out).toMatch(/^key .*KEY_SHREDDED/);
    expect((await ckpt(["export", "b", ...keyed])).out).toBe(folder.transcript(2));
    // Sealing all anew passes it by.
    const rekeyed = await ckpt(["rekey", ...keyed]);
    expect(rekeyed.code).toBe(0);
    expect(rekeyed.out).toContain("a: shredded, left as it is\n");
    expect((await ckpt(["rekey", "a", ...keyed])).code).toBe(exitCodes.damaged);
    const again = await ckpt(["shred", "a", "--yes", "--json", ...keyed]);
    expect(JSON.parse(again.out)).toEqual({ session: "a", shredded: false });
  });

  it("asks at a terminal, and takes nothing but yes", async () => {
    const refused = await ckpt(["shred", "a", ...keyed], { typed: ["y\n"] });
    expect(refused).toMatchObject({ code: exitCodes.failed, out: "" });
    expect(refused.errors).toBe(
      "Make every record of session a unreadable? Type yes: ckpt: Not shredded\n",
    );
    expect((await ckpt(["show", "a", ...keyed])).code).toBe(0);
    expect((await ckpt(["shred", "a", ...keyed], { typed: ["yes\n"] })).code).toBe(0);
    expect((await ckpt(["show", "a", ...keyed])).code).toBe(exitCodes.damaged);
  });

  it.each([
    [["shred", "a"], exitCodes.usage, "There is no terminal to ask at: --yes says"],
    [["shred", "nope", "--yes"], exitCodes.failed, "No keys of session nope"],
    [["shred", "--yes"], exitCodes.usage, "Name a session"],
  ])("refuses %j", async (words, code, message) => {
    const refused = await ckpt([...words, ...keyed]);
    expect(refused).toMatchObject({ code, out: "" });
    expect(refused.errors).toContain(`ckpt: ${message}`);
  });

  it("needs a place of keys that is there", async () => {
    const nameless = await ckpt(["shred", "a", "--yes"]);
    expect(nameless.code).toBe(exitCodes.usage);
    const spec = `${scheme}:${folder.path("nope")}`;
    const missing = await ckpt(["shred", "a", "--yes", "--key-store", spec]);
    expect(missing).toMatchObject({
      code: exitCodes.failed,
      errors: `ckpt: No key store at ${spec}\n`,
    });
  });
});
