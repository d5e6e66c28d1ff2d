import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generateKey } from "../../codecs/index.ts";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;

beforeEach(async () => {
  folder = await sealedFolder();
});

afterEach(async () => {
  for (const key of (await keysIn(folder.keyFile)).map(({ secret }) => secret)) {
    folder.keepSecret(key);
  }
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

async function keysIn(path: string): Promise<{ state: string; secret: string }[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const words = lines.filter((line) => !/^(#|$)/.test(line)).map((line) => line.split(" "));
  return words.map(([state = "", secret]) => {
    return secret === undefined ? { state: "primary", secret: state } : { state, secret };
  });
}

const statesIn = async (path: string): Promise<string[]> => {
  return (await keysIn(path)).map(({ state }) => state);
};

/** What a rotation leaves that was killed after it had written the key file. */
async function halfRotate(): Promise<void> {
  const [old] = await keysIn(folder.keyFile);
  const text = `primary ${generateKey()}\ndecrypt-only ${old!.secret}\n`;
  await writeFile(folder.keyFile, text);
}

async function importTwo(ckpt: BoundRun, more: readonly string[] = []): Promise<string> {
  const stdin = folder.transcript(3);
  for (const session of ["a", "b"]) {
    await ckpt(["import", "-", "--session", session, ...more], { stdin });
  }
  return stdin;
}

describe.each(["file", "sqlite"])("ckpt rotate, on a %s: store", (scheme) => {
  let ckpt: BoundRun;
  let stdin: string;

  beforeEach(async () => {
    ckpt = folder.on(`${scheme}:${folder.path("store")}`);
    stdin = await importTwo(ckpt);
  });

  it("makes a key, keeps the old one for decrypting, and seals everything anew", async () => {
    const [old] = await keysIn(folder.keyFile);
    const { code, out, errors } = await ckpt(["rotate"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const [said, ...rest] = out.trimEnd().split("\n");
    expect(said).toMatch(/: key [0-9a-f]{16} is the primary now, key [0-9a-f]{16} only decrypts$/);
    expect(rest).toEqual([
      "a: 3 records sealed anew",
      "b: 3 records sealed anew",
      `${folder.keyFile}: rotated`,
    ]);
    const keys = await keysIn(folder.keyFile);
    expect(keys.map(({ state }) => state)).toEqual(["primary", "decrypt-only"]);
    expect(keys[1]).toEqual({ state: "decrypt-only", secret: old!.secret });
    expect((await stat(folder.keyFile)).mode & 0o777).toBe(0o600);
    // The new key alone reads everything.
    await writeFile(folder.keyFile, keys[0]!.secret);
    for (const session of ["a", "b"]) expect((await ckpt(["export", session])).out).toBe(stdin);
  });

  it("may be done twice, and retires the old keys when told to", async () => {
    await ckpt(["rotate"]);
    const { code } = await ckpt(["rotate"]);
    expect(code).toBe(0);
    expect(await statesIn(folder.keyFile)).toEqual(["primary", "decrypt-only", "decrypt-only"]);
    const [primary] = await keysIn(folder.keyFile);
    const retired = await ckpt(["rotate", "--retire"]);
    expect(retired.code).toBe(0);
    expect(retired.out).toMatch(
      /finished what an earlier rotation began\n.*: retired \w{16}, \w{16}\n$/,
    );
    expect(await keysIn(folder.keyFile)).toEqual([primary]);
    expect((await ckpt(["verify"])).code).toBe(0);
    // Nothing is left to finish now, so the next one makes a key.
    expect((await ckpt(["rotate", "--retire"])).out).toContain("is the primary now");
    expect(await statesIn(folder.keyFile)).toEqual(["primary"]);
    expect((await ckpt(["export", "a"])).out).toBe(stdin);
  });

  it("finishes an interrupted rotation without another key", async () => {
    await halfRotate();
    await ckpt(["rekey", "a"]);
    const keys = await keysIn(folder.keyFile);
    const { code, out } = await ckpt(["rotate"]);
    expect(code).toBe(0);
    expect(out).toBe(
      "b: 3 records sealed anew\n" + `${folder.keyFile}: finished what an earlier rotation began\n`,
    );
    expect(await keysIn(folder.keyFile)).toEqual(keys);
    expect((await ckpt(["verify"])).code).toBe(0);
  });
});

describe("ckpt rotate", () => {
  let ckpt: BoundRun;

  beforeEach(() => {
    ckpt = folder.on(`sqlite:${folder.path("s.db")}`);
  });

  it("retires nothing and makes no more keys while a session cannot be sealed anew", async () => {
    await importTwo(ckpt);
    const database = new Database(folder.path("s.db"));
    database.exec("UPDATE records SET payload = x'f601' WHERE session = 1 AND seq = 2");
    database.close();
    const first = await ckpt(["rotate", "--retire"]);
    expect(first.code).toBe(exitCodes.damaged);
    expect(first.out).toContain("b: 3 records sealed anew");
    expect(await statesIn(folder.keyFile)).toEqual(["primary", "decrypt-only"]);
    expect(await ckpt(["rotate"])).toMatchObject({ code: exitCodes.damaged, out: "" });
    expect(await statesIn(folder.keyFile)).toEqual(["primary", "decrypt-only"]);
    await ckpt(["rotate", "--new-key"]);
    expect(await statesIn(folder.keyFile)).toEqual(["primary", "decrypt-only", "decrypt-only"]);
    await ckpt(["rm", "a"]);
    expect(await ckpt(["rotate", "--retire"])).toMatchObject({ code: 0 });
    expect(await statesIn(folder.keyFile)).toEqual(["primary"]);
  });

  it("makes no key when the store is not there", async () => {
    const before = await readFile(folder.keyFile, "utf8");
    const { code, errors } = await ckpt(["rotate"]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toMatch(/^ckpt: No store at /);
    expect(await readFile(folder.keyFile, "utf8")).toBe(before);
  });

  it("keeps comments and disabled keys", async () => {
    await importTwo(ckpt);
    const [key] = await keysIn(folder.keyFile);
    const disabled = generateKey();
    await writeFile(folder.keyFile, `# mine\nprimary ${key!.secret}\ndisabled ${disabled}\n`);
    expect(await ckpt(["rotate", "--retire"])).toMatchObject({ code: 0 });
    expect(await statesIn(folder.keyFile)).toEqual(["primary", "disabled"]);
    expect(await readFile(folder.keyFile, "utf8")).toContain("\n# mine\n");
  });

  it("says what it did as JSON", async () => {
    await importTwo(ckpt);
    const { out } = await ckpt(["rotate", "--retire", "--json"]);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const id = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
    expect(lines).toEqual([
      { keyFile: folder.keyFile, primary: id, decryptOnly: id },
      { session: "a", records: 3, shredded: false },
      { session: "b", records: 3, shredded: false },
      { keyFile: folder.keyFile, primary: id, made: true },
      { keyFile: folder.keyFile, retired: [id] },
    ]);
  });
});

describe.each(["file", "sqlite"])("ckpt rotate, with session keys in %s:", (scheme) => {
  const logs = (): Promise<string[]> => {
    return Promise.all(
      ["a", "b"].map((name) => readFile(folder.path(`store/${name}.jsonl`), "utf8")),
    );
  };
  let ckpt: BoundRun;
  let keyed: string[];
  let stdin: string;

  beforeEach(async () => {
    keyed = ["--key-store", `${scheme}:${folder.path("keys")}`];
    ckpt = folder.on(`file:${folder.path("store")}`);
    stdin = await importTwo(ckpt, keyed);
  });

  it("wraps the keys anew and touches no log, nor needs a store", async () => {
    const before = await logs();
    const storeless = folder.on("");
    const { code, out } = await storeless(["rotate", "--retire", ...keyed]);
    expect(code).toBe(0);
    expect(out).toContain("2 keys of 2 sessions wrapped anew\n");
    expect(await logs()).toEqual(before);
    expect(await statesIn(folder.keyFile)).toEqual(["primary"]);
    for (const session of ["a", "b"]) {
      expect((await ckpt(["export", session, ...keyed])).out).toBe(stdin);
    }
  });

  it("finishes an interrupted rotation without another key", async () => {
    await halfRotate();
    const keys = await keysIn(folder.keyFile);
    const { code, out } = await ckpt(["rotate", ...keyed]);
    expect(code).toBe(0);
    expect(out).toMatch(/^2 keys of 2 sessions wrapped anew\n.*finished what an earlier/);
    expect(await keysIn(folder.keyFile)).toEqual(keys);
    expect((await ckpt(["rotate", ...keyed])).out).toContain("is the primary now");
  });

  it("refuses a key that is disabled, and says so", async () => {
    const [old] = await keysIn(folder.keyFile);
    await writeFile(folder.keyFile, `primary ${generateKey()}\ndisabled ${old!.secret}\n`);
    const { code, errors } = await ckpt(["show", "a", ...keyed]);
    expect(code).toBe(exitCodes.damaged);
    expect(errors).toMatch(/\(KEY_DISABLED\)\n$/);
    expect(existsSync(folder.path("keys"))).toBe(true);
  });
});
