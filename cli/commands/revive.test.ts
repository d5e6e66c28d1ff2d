import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;

beforeEach(async () => {
  folder = await sealedFolder();
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe.each(["file", "sqlite"])("ckpt revive, with session keys in %s:", (scheme) => {
  it("lets a name be used again, and brings no record back", async () => {
    const keyed = ["--key-store", `${scheme}:${folder.path("keys")}`];
    const ckpt = folder.on(`sqlite:${folder.path("s.db")}`);
    const stdin = folder.transcript(2);
    const importing = ["import", "-", "--session", "a", ...keyed];
    await ckpt(importing, { stdin });
    await ckpt(["shred", "a", "--yes", ...keyed]);
    expect((await ckpt(importing, { stdin })).errors).toContain("KEY_SHREDDED");

    const keyless = folder.on("", { CHECKPOINTER_KEY_FILE: "" });
    const { code, out, errors } = await keyless(["revive", "a", ...keyed]);
    expect({ code, out, errors }).toEqual({ code: 0, out: "a: may have new keys\n", errors: "" });
    const shown = await ckpt(["show", "a", ...keyed]);
    expect(shown).toMatchObject({ code: exitCodes.damaged, out: "" });
    expect(shown.errors).toContain("KEY_UNKNOWN");
    expect((await ckpt(importing, { stdin })).code).toBe(exitCodes.damaged);

    expect((await ckpt(["rm", "a"])).code).toBe(0);
    expect((await ckpt(importing, { stdin })).code).toBe(0);
    expect((await ckpt(["export", "a", ...keyed])).out).toBe(stdin);
    const again = await ckpt(["revive", "a", "--json", ...keyed]);
    expect(JSON.parse(again.out)).toEqual({ session: "a", revived: false });
    // Keys of a living session are left alone.
    expect((await ckpt(["export", "a", ...keyed])).out).toBe(stdin);
  });

  it("needs a place of keys that is there", async () => {
    const ckpt = folder.on("");
    expect((await ckpt(["revive", "a"])).code).toBe(exitCodes.usage);
    const spec = `${scheme}:${folder.path("nope")}`;
    const missing = await ckpt(["revive", "a", "--key-store", spec]);
    expect(missing.code).toBe(exitCodes.failed);
    expect(missing.errors).toBe(`ckpt: No key store at ${spec}\n`);
    expect(await folder.filesWith("nope")).toEqual([]);
  });
});
