import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import { createKeyFile, readKeyFile, replaceKeyFile, showKeyFile } from "./key-file.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ckpt-key-"));
  path = join(folder, "k.key");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe("createKeyFile()", () => {
  it("makes a file that only its owner may read, and never overwrites one", async () => {
    await createKeyFile(path, "one\n");
    expect(await modeOf(path)).toBe(0o600);
    await expect(createKeyFile(path, "two\n")).rejects.toMatchObject({
      exitCode: exitCodes.conflict,
    });
    expect(await readKeyFile(path)).toBe("one\n");
  });
});

describe("readKeyFile()", () => {
  it.each([0o640, 0o604, 0o620, 0o602, 0o610])("refuses mode %o", async (mode) => {
    await createKeyFile(path, "one\n");
    await chmod(path, mode);
    await expect(readKeyFile(path)).rejects.toThrow("others may read or change it");
  });

  it("refuses what is too long or not text", async () => {
    await writeFile(path, "x".repeat(64 * 1024 + 1), { mode: 0o600 });
    await expect(readKeyFile(path)).rejects.toThrow("too long for a key file");
    await writeFile(path, Buffer.from([0xff, 0xfe]));
    await expect(readKeyFile(path)).rejects.toThrow("not text");
    await expect(readKeyFile(folder)).rejects.toThrow("Cannot read key file");
  });
});

describe("replaceKeyFile()", () => {
  it("leaves the new text, mode 0600, and nothing beside it", async () => {
    await createKeyFile(path, "one\n");
    await replaceKeyFile(path, "one\n", "two\n");
    expect(await readFile(path, "utf8")).toBe("two\n");
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(folder)).toEqual(["k.key"]);
  });

  it("changes the file behind a link", async () => {
    await createKeyFile(path, "one\n");
    await symlink(path, join(folder, "link"));
    await replaceKeyFile(join(folder, "link"), "one\n", "two\n");
    expect(await readFile(path, "utf8")).toBe("two\n");
  });

  it("refuses what is no file", async () => {
    await expect(replaceKeyFile(folder, "", "two\n")).rejects.toThrow("wanted a file");
  });

  it("never overwrites what another process has put there", async () => {
    await createKeyFile(path, "one\n");
    const replaced = await Promise.allSettled(
      ["two\n", "three\n", "four\n"].map((text) => replaceKeyFile(path, "one\n", text)),
    );
    expect(replaced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of replaced) {
      if (result.status === "fulfilled") continue;
      expect(result.reason).toMatchObject({ exitCode: exitCodes.busy });
    }
  });
});

describe("showKeyFile()", () => {
  it("does not repeat a key that was typed in place of a path", () => {
    const key = `${"Ab0".repeat(14)}A`;
    for (const typed of [key, `${key}=`, "$ckpt-scrypt$v=1$x"])
      expect(showKeyFile(typed)).toBe("***");
    expect(showKeyFile("./k.key")).toBe("./k.key");
  });
});
