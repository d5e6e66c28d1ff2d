import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import { capturedRun } from "./testing/captured-run.ts";
import { sealedFolder } from "./testing/sealed-folder.ts";

const server = process.env["PG_TEST_URL"];
const schema = `ckpt_cli_${randomUUID().slice(0, 8)}`;

function specOf(change: (url: URL) => void = () => undefined): string {
  const url = new URL(server ?? "postgres://none");
  url.searchParams.set("schema", schema);
  change(url);
  return url.href;
}

async function sql(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(server === undefined)("postgres:", () => {
  afterEach(() =>
    sql(`SET client_min_messages = error;
      DROP SCHEMA IF EXISTS ${schema}, ${schema}_keys, ${schema}_anchors CASCADE`),
  );

  test("a missing store is not created by looking, and not by following", async () => {
    for (const words of [["ls"], ["show", "s"], ["rm", "s"], ["verify"]]) {
      const { code, out, errors } = await capturedRun([...words, "--store", specOf()]);
      expect({ code, out }).toEqual({ code: exitCodes.failed, out: "" });
      expect(errors).toMatch(/^ckpt: No store at postgres:\/\/postgres:\*\*\*@/);
    }
    expect(await sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
  });

  test("keeps sessions from one run to the next", async () => {
    const store = ["--store", specOf()];
    const stdin = '{"n":1}\n{"text":"\\u0000"}\n';
    const words = ["import", "-", "--session", "s", ...store];
    expect(await capturedRun(words, { stdin })).toMatchObject({ code: 0, errors: "" });
    expect(await capturedRun(["export", "s", ...store])).toMatchObject({ out: stdin });
    expect(await capturedRun(["verify", ...store])).toMatchObject({ code: 0 });
  });

  const inSchema = (name: string): string =>
    specOf((url) => url.searchParams.set("schema", `${schema}${name}`));

  test("keeps session keys and an anchor in schemas of their own", async () => {
    const folder = await sealedFolder();
    onTestFinished(folder.remove);
    const places = {
      CHECKPOINTER_KEY_STORE: inSchema("_keys"),
      CHECKPOINTER_ANCHOR: inSchema("_anchors"),
    };
    const ckpt = folder.on(specOf(), places);
    const stdin = folder.transcript(3);
    for (const session of ["kept", "lost", "shredded"]) {
      const words = ["import", "-", "--session", session];
      expect(await ckpt(words, { stdin })).toMatchObject({ code: 0, errors: "" });
    }
    expect(await ckpt(["export", "kept"])).toMatchObject({ code: 0, out: stdin });
    expect(await ckpt(["verify"])).toMatchObject({ code: 0 });
    expect(await ckpt(["shred", "shredded", "--yes"])).toMatchObject({ code: 0 });
    await sql(`UPDATE ${schema}.sessions SET name = NULL WHERE name = 'lost'`);
    const { code, out } = await ckpt(["verify"]);
    expect(code).toBe(exitCodes.damaged);
    expect(out).toMatch(/^ok +kept/m);
    expect(out).toMatch(/^tampered +lost.*ANCHOR_MISMATCH/m);
    expect(out).toMatch(/^key +shredded.*KEY_SHREDDED/m);
    expect(folder.leaks()).toEqual([]);
  });

  test("takes no keys or anchor in the place of the store, and names no password", async () => {
    const folder = await sealedFolder();
    onTestFinished(folder.remove);
    const ckpt = folder.on(specOf());
    const same = specOf((url) => (url.username = "somebody"));
    for (const option of ["--key-store", "--anchor"]) {
      const { code, errors } = await ckpt(["ls", option, same]);
      expect({ code, errors }).toEqual({
        code: exitCodes.usage,
        errors: `ckpt: ${option}: wanted another place than the store\n`,
      });
      const missing = await folder.on("memory:")(["ls", option, inSchema("_none")]);
      expect(missing.code).toBe(exitCodes.failed);
      expect(missing.errors).toMatch(
        /^ckpt: No (key store|anchor) at postgres:\/\/postgres:\*\*\*@/,
      );
      const wrong = await folder.on("memory:")(["ls", option, "postgres://u:secret@["]);
      expect(wrong.code).toBe(exitCodes.usage);
      expect(wrong.errors).not.toContain("secret");
    }
  });

  test("a password is never echoed, whatever fails", async () => {
    const secret = "canary-of-a-password";
    const specs = [
      specOf((url) => (url.password = secret)),
      specOf((url) => url.searchParams.set("schema", "")) + secret.repeat(4),
      `postgres://u:${secret}@[`,
    ];
    for (const spec of specs) {
      const { code, out, errors } = await capturedRun(["ls", "--store", spec]);
      expect(code).not.toBe(0);
      expect(out + errors).not.toContain(secret);
    }
  });
});
