import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import { capturedRun } from "./testing/captured-run.ts";

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
  afterEach(() => sql(`SET client_min_messages = error; DROP SCHEMA IF EXISTS ${schema} CASCADE`));

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
