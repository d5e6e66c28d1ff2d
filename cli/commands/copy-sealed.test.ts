import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { canary, sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;
let stdin: string;
let from: string;
let to: string;
let keyless: BoundRun;

beforeEach(async () => {
  folder = await sealedFolder();
  stdin = folder.transcript(3);
  from = `file:${folder.path("from")}`;
  to = `sqlite:${folder.path("to.db")}`;
  keyless = folder.on("", { CHECKPOINTER_KEY_FILE: "" });
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

async function importInto(sealing: readonly string[]): Promise<void> {
  await keyless(["import", "-", "--session", "s", "--store", from, ...sealing], { stdin });
}

async function exportFrom(store: string, sealing: readonly string[]): Promise<string> {
  return (await keyless(["export", "s", "--store", store, ...sealing])).out;
}

describe("ckpt copy, of a sealed store", () => {
  const key = (): string[] => ["--key-file", folder.keyFile];

  beforeEach(() => importInto(key()));

  it("wants to be told how another store is to keep the copy", async () => {
    const { code, errors } = await keyless(["copy", from, to, ...key()]);
    expect(code).toBe(exitCodes.usage);
    expect(errors).toMatch(/^ckpt: Say how the copy is to be kept: --to-key-file <path> seals/);
    expect(existsSync(folder.path("to.db"))).toBe(false);
  });

  it("seals the copy under another key, with another codec", async () => {
    const next = await folder.addKeyFile("next.key");
    const sealing = ["--to-key-file", next, "--to-codec", "xchacha"];
    const copied = await keyless(["copy", from, to, ...key(), ...sealing]);
    expect(copied).toMatchObject({ code: 0, out: "s -> s: 3 events, 3 new\n", errors: "" });
    expect(await exportFrom(to, ["--key-file", next, "--codec", "xchacha"])).toBe(stdin);
    expect(await folder.filesWith(canary)).toEqual([]);
  });

  it("leaves the copy plain when told so", async () => {
    await keyless(["copy", from, to, ...key(), "--to-key-file", "none"]);
    expect(await exportFrom(to, [])).toBe(stdin);
  });

  it("gives the copy session keys", async () => {
    const keyStore = `file:${folder.path("keys")}`;
    const sealing = ["--to-key-file", folder.keyFile, "--to-key-store", keyStore];
    await keyless(["copy", from, to, ...key(), ...sealing]);
    expect(await exportFrom(to, [...key(), "--key-store", keyStore])).toBe(stdin);
  });

  it("seals the copy as the original is within one store, unless told otherwise", async () => {
    const one = ["--store", from, ...key()];
    await keyless(["copy", "s", "t", ...one]);
    expect((await keyless(["export", "t", ...one])).out).toBe(stdin);
    await keyless(["copy", "s", "u", ...one, "--to-key-file", "none"]);
    expect((await keyless(["export", "u", "--store", from])).out).toBe(stdin);
    const other = await keyless(["copy", "s", "t", ...one, "--to-store", to]);
    expect(other.code).toBe(exitCodes.usage);
  });
});

describe("ckpt copy, of a plain store", () => {
  beforeEach(() => importInto([]));

  it("seals the copy when told so", async () => {
    await keyless(["copy", from, to, "--to-key-file", folder.keyFile]);
    expect(await exportFrom(to, ["--key-file", folder.keyFile])).toBe(stdin);
    expect((await keyless(["export", "s", "--store", to])).code).toBe(exitCodes.damaged);
  });

  it("stays plain when nothing is said, and takes no key from the environment", async () => {
    const ckpt = folder.on("");
    const refused = await ckpt(["copy", from, to]);
    expect(refused.code).toBe(exitCodes.usage);
    await ckpt(["copy", from, to, "--key-file", "none"]);
    expect(await exportFrom(to, [])).toBe(stdin);
  });

  it("refuses a codec that encrypts without a key", async () => {
    const { code, errors } = await keyless(["copy", from, to, "--to-codec", "aes-gcm"]);
    expect(code).toBe(exitCodes.usage);
    expect(errors).toContain("--codec aes-gcm: wanted a key");
  });
});
