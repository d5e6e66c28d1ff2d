/**
 * Goal: every command works on sealed stores, nothing of an event reaches the disk, and a wrong key
 * is one line. Method: transcripts go in through the tool, and the files of the store are searched.
 */
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import type { BoundRun } from "./testing/captured-run.ts";
import { canary, sealedFolder, type SealedFolder } from "./testing/sealed-folder.ts";

const samples = fileURLToPath(new URL("../../shared/data/sessions", import.meta.url));

let folder: SealedFolder;

beforeEach(async () => {
  folder = await sealedFolder();
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

async function importInto(ckpt: BoundRun, session: string, events = 4): Promise<string> {
  const stdin = folder.transcript(events);
  const imported = await ckpt(["import", "-", "--session", session], { stdin });
  expect(imported).toMatchObject({ code: 0, errors: "" });
  return stdin;
}

describe.each(["file", "sqlite"])("a sealed %s: store", (scheme) => {
  let ckpt: BoundRun;

  beforeEach(() => {
    ckpt = folder.on(`${scheme}:${folder.path("store")}`);
  });

  it.each(["compress+aes-gcm", "aes-gcm", "compress+xchacha", "xchacha"])(
    "gives everything back through %s and has nothing of it on the disk",
    async (codec) => {
      const stdin = folder.transcript(40);
      const words = ["import", "-", "--session", "s", "--codec", codec, "--batch", "7"];
      await ckpt(words, { stdin });
      expect(await folder.filesWith(canary)).toEqual([]);
      expect((await ckpt(["export", "s", "--codec", codec])).out).toBe(stdin);
      const again = await ckpt([...words, "--json"], { stdin });
      expect(JSON.parse(again.out)).toMatchObject({ records: 40, appended: 0, head: 40 });
    },
  );

  it("is read and changed by every command", async () => {
    const stdin = await importInto(ckpt, "s");
    const lines = stdin.split("\n");
    const seqs = ({ out }: { out: string }): number[] => {
      return out.match(/^ +\d+/gm)?.map(Number) ?? [];
    };
    expect((await ckpt(["ls"])).out).toMatch(/^ +4 .* s\n$/);
    expect(seqs(await ckpt(["show", "s", "--since", "1", "--limit", "2"]))).toEqual([2, 3]);
    expect(seqs(await ckpt(["show", "s", "--reverse", "--limit", "2"]))).toEqual([4, 3]);
    expect(seqs(await ckpt(["tail", "s", "-n", "2"]))).toEqual([3, 4]);
    expect((await ckpt(["stats"])).out).toContain("1 session, 4 events");
    expect((await ckpt(["verify"])).out).toBe("ok        s: 4 records\n");
    expect((await ckpt(["fork", "s", "3", "t"])).out).toContain("3 events");
    expect((await ckpt(["copy", "s", "u"])).out).toContain("4 events, 4 new");
    expect((await ckpt(["truncate", "s", "2"])).out).toContain("head 2");
    expect((await ckpt(["export", "s"])).out).toBe(`${lines.slice(0, 2).join("\n")}\n`);
    expect((await ckpt(["export", "t"])).out).toBe(`${lines.slice(0, 3).join("\n")}\n`);
    expect((await ckpt(["export", "u"])).out).toBe(stdin);
    if (scheme === "file") expect((await ckpt(["repair", "s"])).out).toBe("s: nothing to do\n");
    expect((await ckpt(["rm", "s", "t", "u"])).code).toBe(0);
    expect(await folder.filesWith(canary)).toEqual([]);
  });

  it("is followed by tail -f", async () => {
    await importInto(ckpt, "s");
    const controller = new AbortController();
    const onOutput = (out: string): void => {
      if (out.split("\n").length > 4) controller.abort();
    };
    const options = { signal: controller.signal, onOutput };
    const { code } = await ckpt(["tail", "-f", "s"], options);
    expect(code).toBe(exitCodes.interrupted);
  });

  it("is not read with another key, nor without one, in one line each", async () => {
    await importInto(ckpt, "s");
    const other = await folder.addKeyFile("other.key");
    for (const command of ["show", "export", "tail"]) {
      const wrong = await ckpt([command, "s", "--key-file", other]);
      expect(wrong).toMatchObject({ code: exitCodes.damaged, out: "" });
      expect(wrong.errors).toMatch(/^ckpt: .*seq 1 of "s".*\(KEY_UNKNOWN\)\n$/);
      const none = await ckpt([command, "s", "--key-file", "none"]);
      expect(none).toMatchObject({ code: exitCodes.damaged, out: "" });
      expect(none.errors).toMatch(
        /^ckpt: .*name its key with --key-file \(SEALED_IN_PLAIN_LOG\)\n$/,
      );
    }
    expect((await ckpt(["stats", "--key-file", other])).errors).toContain("(KEY_UNKNOWN)");
  });

  it("takes no plain events into a sealed session", async () => {
    await importInto(ckpt, "s");
    const stdin = folder.transcript(6);
    const words = ["import", "-", "--session", "s", "--key-file", "none"];
    expect(await ckpt(words, { stdin })).toMatchObject({ code: exitCodes.damaged });
    expect(await folder.filesWith(canary)).toEqual([]);
  });

  it("keeps session keys in a store of their own", async () => {
    const keyStore = `${scheme}:${folder.path("keys")}`;
    const stdin = folder.transcript(3);
    const sealed = ["--key-store", keyStore];
    await ckpt(["import", "-", "--session", "s", ...sealed], { stdin });
    expect((await ckpt(["export", "s", ...sealed])).out).toBe(stdin);
    expect((await ckpt(["fork", "s", "2", "t", ...sealed])).code).toBe(0);
    expect((await ckpt(["verify", ...sealed])).code).toBe(0);
    expect((await ckpt(["show", "s"])).errors).toContain("(KEY_UNKNOWN)");
    const missing = await ckpt(["show", "s", "--key-store", `${scheme}:${folder.path("nope")}`]);
    expect(missing.code).toBe(exitCodes.failed);
    expect(missing.errors).toBe(`ckpt: No key store at ${scheme}:${folder.path("nope")}\n`);
  });

  it("does not take keys or an anchor into the place of the store", async () => {
    const stdin = folder.transcript(1);
    for (const words of [
      ["--key-store", `${scheme}:${folder.path("./store")}`],
      ["--anchor", folder.path("store")],
    ]) {
      const refused = await ckpt(["import", "-", "--session", "s", ...words], { stdin });
      expect(refused.code).toBe(exitCodes.usage);
      expect(refused.errors).toBe(`ckpt: ${words[0]}: wanted another place than the store\n`);
    }
    expect(existsSync(folder.path("store"))).toBe(false);
  });

  it("waits for nobody when the key store cannot be reached", async () => {
    const keyStore = "file:" + folder.path("k.key");
    const words = ["import", "-", "--session", "s", "--key-store", keyStore];
    const { code, errors } = await ckpt(words, { stdin: folder.transcript(1) });
    expect(code).toBe(exitCodes.busy);
    expect(errors).toMatch(/^ckpt: .*not a directory.*\(KEY_UNAVAILABLE\)\n$/);
    expect(await folder.filesWith(canary)).toEqual([]);
  });

  it("creates nothing when the key file is at fault", async () => {
    const stdin = folder.transcript(1);
    const words = ["import", "-", "--session", "s", "--key-file", folder.path("nope.key")];
    const { code, errors } = await ckpt(words, { stdin });
    expect(code).toBe(exitCodes.failed);
    expect(errors).toBe(
      `ckpt: Cannot read key file ${folder.path("nope.key")}: no such file or directory\n`,
    );
    expect(existsSync(folder.path("store"))).toBe(false);
  });
});

describe("a store with --codec compress and no key", () => {
  it("is compressed, checked and read back", async () => {
    const ckpt = folder.on(`file:${folder.path("store")}`, { CHECKPOINTER_KEY_FILE: "" });
    const stdin = folder.transcript(3);
    await ckpt(["import", "-", "--session", "s", "--codec", "compress"], { stdin });
    expect(await folder.filesWith(canary)).toEqual([]);
    expect((await ckpt(["export", "s", "--codec", "compress"])).out).toBe(stdin);
  });
});

function sampleNames(): string[] {
  if (!existsSync(samples)) return [];
  const entries = readdirSync(samples, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(entry.parentPath, entry.name));
  // A spread of them: each is read in full by the test of plain import already.
  return names.sort().filter((_, index) => index % 10 === 0);
}

describe.skipIf(sampleNames().length === 0)("sample sessions", () => {
  it.each(["file", "sqlite"])("come back equal from a sealed %s: store", async (scheme) => {
    const sealed = folder.on(`${scheme}:${folder.path("store")}`);
    const plain = folder.on(`file:${folder.path("plain")}`, { CHECKPOINTER_KEY_FILE: "" });
    for (const [index, name] of sampleNames().entries()) {
      const words = ["import", name, "--session", `s${index}`];
      expect(await sealed(words)).toMatchObject({ code: 0, errors: "" });
      await plain(words);
      for (const command of ["export", "show"]) {
        const expected = (await plain([command, `s${index}`])).out;
        const cut = (out: string): string => out.replace(/^( *\d+ {2})\S+ \S+/gm, "$1");
        expect(cut((await sealed([command, `s${index}`])).out)).toBe(cut(expected));
      }
    }
    expect((await sealed(["verify"])).code).toBe(0);
  });
});

describe("a key file", () => {
  it("that others may read is refused, in one line", async () => {
    const ckpt = folder.on(`file:${folder.path("store")}`);
    const open = await folder.addKeyFile("open.key", 0o640);
    const { code, errors } = await ckpt(["ls", "--key-file", open]);
    // The store is missing, too; that is said first.
    expect({ code, errors }).toEqual({
      code: exitCodes.failed,
      errors: `ckpt: No store at file:${folder.path("store")}\n`,
    });
    await importInto(ckpt, "s");
    const refused = await ckpt(["show", "s", "--key-file", open]);
    expect(refused).toMatchObject({ code: exitCodes.failed, out: "" });
    expect(refused.errors).toBe(
      `ckpt: Refused key file ${open}: others may read or change it; ` +
        "chmod 600 makes it yours alone\n",
    );
  });

  it("that is malformed is told by its line, without what is in it", async () => {
    const ckpt = folder.on(`file:${folder.path("store")}`);
    await importInto(ckpt, "s");
    const broken = folder.path("broken.key");
    folder.keepSecret("bm90IGEga2V5");
    await writeFile(broken, "# mine\nprimary bm90IGEga2V5\n", { mode: 0o600 });
    const { code, errors } = await ckpt(["show", "s", "--key-file", broken]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toBe(
      `ckpt: ${broken}, line 2: wanted a key of 32 bytes in base64, or a password vault\n`,
    );
  });
});
