/**
 * Goal: a wrong key, tampering and damage look different, and each names session and seq. Method:
 * records of a sealed SQLite store are changed through the driver, as whoever has the file could.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "../exit-codes.ts";
import type { BoundRun } from "../testing/captured-run.ts";
import { sealedFolder, type SealedFolder } from "../testing/sealed-folder.ts";

let folder: SealedFolder;
let ckpt: BoundRun;

beforeEach(async () => {
  folder = await sealedFolder();
  ckpt = folder.on(`sqlite:${folder.path("s.db")}`);
  for (const session of ["good", "bad"]) {
    await ckpt(["import", "-", "--session", session], { stdin: folder.transcript(4) });
  }
});

afterEach(async () => {
  expect(folder.leaks()).toEqual([]);
  await folder.remove();
});

const recordOf = `SELECT r.id, r.payload FROM records r JOIN sessions s ON s.id = r.session
  WHERE s.name = ? AND r.seq = ?`;

/** Flips a bit of a stored record; negative offsets count from its end. */
function flip(session: string, seq: number, offset: number): void {
  change((database) => {
    const row = database.prepare<unknown[], { id: number; payload: Buffer }>(recordOf);
    const { id, payload } = row.get(session, seq)!;
    const index = offset < 0 ? payload.length + offset : offset;
    payload[index] = payload[index]! ^ 1;
    database.prepare("UPDATE records SET payload = ? WHERE id = ?").run(payload, id);
  });
}

function change(work: (database: Database.Database) => void): void {
  const database = new Database(folder.path("s.db"));
  try {
    work(database);
  } finally {
    database.close();
  }
}

describe("ckpt verify, of a sealed store", () => {
  it("calls a changed byte tampering, and names session and seq", async () => {
    flip("bad", 3, -5);
    const { code, out, errors } = await ckpt(["verify"]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toMatch(/^tampered {2}bad: 2 records; seq 3: AUTH_FAILED: .*was changed.*\n/);
    expect(out).toMatch(/^ok {8}good: 4 records$/m);
    expect(errors).toBe("ckpt: 1 of 2 sessions tampered with\n");
    const shown = await ckpt(["show", "bad"]);
    expect(shown.code).toBe(exitCodes.damaged);
    expect(shown.errors).toMatch(/^ckpt: .*seq 3 of "bad".*\(AUTH_FAILED\)\n$/);
  });

  it("calls a plain record among sealed ones tampering", async () => {
    change((database) => {
      const { id } = database.prepare<unknown[], { id: number }>(recordOf).get("bad", 2)!;
      database.prepare("UPDATE records SET payload = ? WHERE id = ?").run('{"forged":1}', id);
    });
    const { out } = await ckpt(["verify", "bad"]);
    expect(out).toMatch(/^tampered {2}bad: 1 record; seq 2: PLAINTEXT_IN_SEALED_LOG/);
  });

  it("calls a missing record damage", async () => {
    change((database) => {
      const { id } = database.prepare<unknown[], { id: number }>(recordOf).get("bad", 2)!;
      database.prepare("DELETE FROM records WHERE id = ?").run(id);
    });
    const { code, out, errors } = await ckpt(["verify", "bad"]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toMatch(/^damaged {3}bad: 1 record; seq 2: CORRUPT_LOG/);
    expect(errors).toBe("ckpt: 1 of 1 session damaged\n");
  });

  it("calls an unknown, a disabled and a missing key what they are", async () => {
    const other = await folder.addKeyFile("other.key");
    const wrong = await ckpt(["verify", "--key-file", other]);
    expect(wrong.code).toBe(exitCodes.damaged);
    expect(wrong.out).toMatch(/^key {7}good: 0 records; seq 1: KEY_UNKNOWN/m);
    expect(wrong.errors).toBe("ckpt: 2 of 2 sessions not opened by this key\n");

    const [mine, others] = await Promise.all([
      readFile(folder.keyFile, "utf8"),
      readFile(other, "utf8"),
    ]);
    await writeFile(other, `primary ${others}disabled ${mine}`);
    const disabled = await ckpt(["verify", "good", "--key-file", other]);
    expect(disabled.out).toMatch(/^key {7}good: 0 records; seq 1: KEY_DISABLED/);

    const none = await ckpt(["verify", "good", "--key-file", "none"]);
    expect(none.out).toMatch(/^sealed {4}good: 0 records; seq 1: SEALED_IN_PLAIN_LOG/);
    const codec = await ckpt(["verify", "good", "--codec", "xchacha"]);
    expect(codec.out).toMatch(/^format {4}good: 0 records; seq 1: UNSUPPORTED_FORMAT/);
  });

  it("says that a key which opened what stands before may not be at fault", async () => {
    // Into the id of the key.
    flip("bad", 3, 5);
    const { out } = await ckpt(["verify", "bad"]);
    expect(out).toMatch(/^key {7}bad: 2 records; seq 3: KEY_UNKNOWN.*may have been changed or put/);
  });

  it("sums up when several things are wrong, and has the verdict in JSON", async () => {
    flip("bad", 1, -1);
    await ckpt(["import", "-", "--session", "plain", "--key-file", "none"], { stdin: "{}" });
    change((database) => {
      const { id } = database.prepare<unknown[], { id: number }>(recordOf).get("good", 4)!;
      database.prepare("UPDATE records SET payload = 7 WHERE id = ?").run(id);
    });
    const { out, errors } = await ckpt(["verify", "--json"]);
    expect(errors).toBe("ckpt: 3 of 3 sessions not ok: 2 tampered with, 1 damaged\n");
    const reports = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(reports).toContainEqual(
      expect.objectContaining({ sessionId: "bad", verdict: "tampered" }),
    );
  });

  it("calls a flipped byte in a file store damage, which its checksum sees", async () => {
    const files = folder.on(`file:${folder.path("logs")}`);
    await files(["import", "-", "--session", "s"], { stdin: folder.transcript(3) });
    const [name] = await readdir(folder.path("logs"));
    const path = folder.path(`logs/${name}`);
    const text = await readFile(path, "utf8");
    const at = text.lastIndexOf('"crc"') - 20;
    await writeFile(
      path,
      `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`,
    );
    const { out } = await files(["verify"]);
    expect(out).toMatch(/^damaged {3}s: .*CORRUPT_LOG/);
  });
});

describe("ckpt verify, with an anchor", () => {
  let anchored: string[];

  beforeEach(async () => {
    anchored = ["--anchor", folder.path("anchor")];
    await mkdir(folder.path("anchor"));
    const words = ["import", "-", "--session", "held", ...anchored];
    await ckpt(words, { stdin: folder.transcript(2) });
    await copyFile(folder.path("s.db"), folder.path("old.db"));
    await ckpt(words, { stdin: folder.transcript(5) });
  });

  it("finds every session as it was left", async () => {
    const { code, out } = await ckpt(["verify", ...anchored]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {8}held: 5 records$/m);
  });

  it("notices an earlier version of the whole store", async () => {
    for (const name of ["s.db", "s.db-wal", "s.db-shm"]) {
      await rm(folder.path(name), { force: true });
    }
    await copyFile(folder.path("old.db"), folder.path("s.db"));
    expect(await ckpt(["verify", "held"])).toMatchObject({ code: 0 });
    const { code, out, errors } = await ckpt(["verify", ...anchored]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toMatch(/^tampered {2}held: 0 records; ANCHOR_MISMATCH: .*at seq 5, met head 2$/m);
    expect(errors).toBe("ckpt: 1 of 3 sessions tampered with\n");
    const shown = await ckpt(["show", "held", ...anchored]);
    expect(shown).toMatchObject({ code: exitCodes.damaged, out: "" });
  });

  it("notices a log that is gone, named or not", async () => {
    await ckpt(["rm", "held"]);
    for (const named of [[], ["held"]]) {
      const { code, out } = await ckpt(["verify", ...named, ...anchored]);
      expect(code).toBe(exitCodes.damaged);
      expect(out).toMatch(/^tampered {2}held: 0 records; ANCHOR_MISMATCH: .*met no log$/m);
    }
  });

  it("goes along with truncate, fork, copy, rotate and rm", async () => {
    for (const words of [
      ["truncate", "held", "3"],
      ["fork", "held", "2", "forked"],
      ["copy", "held", "copied"],
      ["rotate"],
      ["rm", "copied"],
    ]) {
      expect(await ckpt([...words, ...anchored])).toMatchObject({ code: 0, errors: "" });
      expect(await ckpt(["verify", ...anchored])).toMatchObject({ code: 0 });
    }
  });

  it("insists on an anchor that is there", async () => {
    const { code, errors } = await ckpt(["verify", "--anchor", folder.path("nope")]);
    expect(code).toBe(exitCodes.failed);
    expect(errors).toMatch(/^ckpt: No anchor at .*nope; an empty directory starts one\n$/);
  });
});
