import { readFile, stat } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPasswordVault, secretKey } from "../../codecs/index.ts";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

const password = "correct horse battery";

let folder: SealedFolder;
let ckpt: BoundRun;

beforeEach(async () => {
  folder = await sealedFolder();
  folder.keepSecret(password);
  ckpt = folder.on("file:unused", { CHECKPOINTER_KEY_FILE: "" });
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

describe("ckpt keygen", () => {
  it("makes a file that only its owner may read, and prints no key", async () => {
    const path = folder.path("new.key");
    const { code, out, errors } = await ckpt(["keygen", "--out", path]);
    const text = await readFile(path, "utf8");
    folder.keepSecret(text.trim());
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toBe(`${path}: key ${(await secretKey(text)).id}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("makes another key every time, and one line of it on standard output", async () => {
    const lines = await Promise.all([ckpt(["keygen"]), ckpt(["keygen"])]);
    const [one, two] = lines.map(({ out }) => out);
    expect(one).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(one).not.toBe(two);
    const json = JSON.parse((await ckpt(["keygen", "--json"])).out) as {
      key: string;
      line: string;
    };
    expect(json.key).toBe((await secretKey(json.line)).id);
  });

  it("never overwrites, nor asks for a password first", async () => {
    const before = await readFile(folder.keyFile, "utf8");
    const words = ["keygen", "--out", folder.keyFile, "--password"];
    const { code, errors } = await ckpt(words, { stdin: `${password}\n` });
    expect(code).toBe(exitCodes.conflict);
    expect(errors).toBe(`ckpt: ${folder.keyFile} is there already; it was left as it was\n`);
    expect(await readFile(folder.keyFile, "utf8")).toBe(before);
  });

  it("says in one line that it cannot write", async () => {
    const path = folder.path("nope/new.key");
    const { code, errors } = await ckpt(["keygen", "--out", path]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toBe(`ckpt: Cannot write key file ${path}: no such file or directory\n`);
  });
});

describe("ckpt keygen --password", () => {
  it.each([`${password}\r\n${password}\r\n`, password])(
    "makes a vault of the password in the first line of standard input, %#",
    async (stdin) => {
      const { code, out } = await ckpt(["keygen", "--password"], { stdin });
      expect(code).toBe(0);
      expect(out).toMatch(/^\$ckpt-scrypt\$v=1\$.*\n$/);
      expect((await openPasswordVault({ vault: out, password })).id).toMatch(/^[0-9a-f]{16}$/);
    },
  );

  it.each([
    ["", "Wanted a password on standard input, met its end"],
    [`${password}\nother\n`, "The two passwords differ; nothing was made"],
    ["\n\n", "password: wanted 1 to 4096 bytes"],
  ])("refuses %j", async (stdin, message) => {
    const { code, out, errors } = await ckpt(["keygen", "--password"], { stdin });
    expect({ code, out, errors }).toEqual({
      code: exitCodes.failed,
      out: "",
      errors: `ckpt: ${message}\n`,
    });
  });

  it("asks twice on a terminal, without echo", async () => {
    const rawModes: boolean[] = [];
    const typed = [`${password}x\u007f\r`, "wrong\u0015", `${password}\n`];
    const { code, out, errors } = await ckpt(["keygen", "--password"], {
      typed,
      onRawMode: (on) => rawModes.push(on),
    });
    expect({ code, errors }).toEqual({ code: 0, errors: "New password: \nThe same again: \n" });
    expect(rawModes).toEqual([true, false, true, false]);
    expect(out).toMatch(/^\$ckpt-scrypt\$/);
  });

  it("ends with 130 at Ctrl-C, and leaves the terminal as it was", async () => {
    const rawModes: boolean[] = [];
    const onRawMode = (on: boolean): void => void rawModes.push(on);
    const { code, out } = await ckpt(["keygen", "--password"], { typed: ["abc\u0003"], onRawMode });
    expect({ code, out }).toEqual({ code: exitCodes.interrupted, out: "" });
    expect(rawModes).toEqual([true, false]);
  });
});
