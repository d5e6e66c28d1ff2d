/** Goal: a key file with a password vault works from a pipe and at a terminal, and tells nobody. */
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generateKey } from "../codecs/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { capturedRun, type BoundRun } from "./testing/captured-run.ts";
import { canary, sealedFolder, type SealedFolder } from "./testing/sealed-folder.ts";

const password = "Zażółć gęślą jaźń";

let vaultText: string;
let folder: SealedFolder;
let vault: string;
let ckpt: BoundRun;

// Once: making one takes a while, as it is meant to.
beforeAll(async () => {
  vaultText = (await capturedRun(["keygen", "--password"], { stdin: password })).out;
});

beforeEach(async () => {
  folder = await sealedFolder();
  folder.keepSecret(password);
  vault = folder.path("v.key");
  ckpt = folder.on(`file:${folder.path("store")}`, { CHECKPOINTER_KEY_FILE: vault });
  await writeFile(vault, vaultText, { mode: 0o600 });
  folder.keepSecret(vaultText.trim());
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe("a password vault", () => {
  it("takes its password from the first line of standard input, data from the rest", async () => {
    const transcript = folder.transcript(3);
    const words = ["import", "-", "--session", "s", "--password"];
    const imported = await ckpt(words, { stdin: `${password}\n${transcript}` });
    expect(imported).toMatchObject({ code: 0, errors: "" });
    expect(imported.out).toContain("3 records, 3 new");
    expect(await folder.filesWith(canary)).toEqual([]);
    expect((await ckpt(["export", "s"], { stdin: `${password}\n` })).out).toBe(transcript);
    const typed = [`${password.normalize("NFD")}\r`];
    const shown = await ckpt(["export", "s"], { typed });
    expect(shown).toMatchObject({ code: 0, out: transcript });
    expect(shown.errors).toBe(`Password of ${vault}: \n`);
  });

  it("stays closed to another password, in one line", async () => {
    await ckpt(["import", "-", "--session", "s"], { stdin: `${password}\n{}\n` });
    const wrong = await ckpt(["show", "s"], { stdin: "other\n" });
    expect(wrong).toMatchObject({ code: exitCodes.damaged, out: "" });
    expect(wrong.errors).toBe(
      `ckpt: ${vault}, line 1: Cannot open the password vault: the password is wrong (WRONG_KEY)\n`,
    );
    const none = await ckpt(["show", "s"]);
    expect(none).toMatchObject({ code: exitCodes.failed, out: "" });
  });

  it("is asked for once when both sides of a copy have it", async () => {
    await ckpt(["import", "-", "--session", "s"], { stdin: `${password}\n{}\n` });
    const to = `file:${folder.path("other")}`;
    const words = ["copy", `file:${folder.path("store")}`, to, "--to-key-file", vault];
    expect(await ckpt(words, { stdin: `${password}\n` })).toMatchObject({ code: 0, errors: "" });
  });

  it("stays one through a rotation, with the same password", async () => {
    await ckpt(["import", "-", "--session", "s"], { stdin: `${password}\n{"n":1}\n` });
    const rotated = await ckpt(["rotate", "--retire"], { stdin: `${password}\n` });
    expect(rotated).toMatchObject({ code: 0, errors: "" });
    expect(await readFile(vault, "utf8")).toMatch(/^# key .*\nprimary \$ckpt-\S+\n$/);
    const exported = await ckpt(["export", "s"], { stdin: `${password}\n` });
    expect(exported.out).toBe('{"n":1}\n');
  });

  it("may hold a bare key beside it, and is insisted on with --password", async () => {
    const old = generateKey();
    folder.keepSecret(old);
    await writeFile(vault, `primary ${vaultText}decrypt-only ${old}\n`);
    const imported = await ckpt(["import", "-", "--session", "s"], { stdin: `${password}\n{}\n` });
    expect(imported).toMatchObject({ code: 0, errors: "" });
    const words = ["show", "s", "--key-file", folder.keyFile, "--password"];
    const refused = await ckpt(words, { stdin: password });
    expect(refused.code).toBe(exitCodes.usage);
    expect(refused.errors).toContain("there is no password vault in");
  });
});
