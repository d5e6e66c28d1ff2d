// An anchor in a database: the rules of all anchors, connections that break at the worst moments, and roles
// that keep the log's writer away from it.

import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { aesGcm, generateKey, keyRing } from "../../codecs/index.ts";
import { createCheckpointer } from "../../src/index.ts";
import { describeAnchor } from "../../test/codecs/anchor-rules.ts";
import { append } from "../../test/store-changes.ts";
import { startProxy, type Cut } from "./testing/cutting-proxy.ts";
import {
  cleanUp,
  createRole,
  hasNoServer,
  openAnchor,
  openKeyStore,
  openStore,
  sql,
  temporarySchema,
} from "./testing/server.ts";

afterEach(cleanUp);

const cuts: readonly Cut[] = ["before the server has it", "before the answer arrives"];
const [first, second, third] = ["aa", "bb", "cc"].map((tag, seq) => ({ seq, tag }));
const toSecond = '"tag":"bb"';

describe.skipIf(hasNoServer)("postgresAnchor()", () => {
  describeAnchor("postgresAnchor()", () => {
    const schema = temporarySchema();
    return { open: () => openAnchor({ schema }), dispose: () => undefined };
  });

  test("creates nothing by looking, and its table once when eight set it up together", async () => {
    const schema = temporarySchema();
    const anchors = Array.from({ length: 8 }, () => openAnchor({ schema }));
    expect(await anchors[0]?.get("s")).toBeNull();
    expect(await anchors[0]?.isSetUp()).toBe(false);
    expect(await sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).toEqual([]);
    await Promise.all(anchors.map((anchor) => anchor.setup()));
    await anchors[0]?.set("s", first!, null);
    await anchors[1]?.setup();
    expect(await anchors[2]?.get("s")).toEqual(first);
  });

  test("lists what it remembers, and not what it forgot", async () => {
    const anchor = openAnchor();
    for (const id of ["b", "a", "gone"]) await anchor.set(id, first!, null);
    await anchor.set("gone", null, first!);
    const ids: string[] = [];
    for await (const id of anchor.list()) ids.push(id);
    expect(ids).toEqual(["a", "b"]);
  });

  test("refuses what a careless hand has left in its row, and a closed handle", async () => {
    const schema = temporarySchema();
    const anchor = openAnchor({ schema });
    await anchor.set("s", first!, null);
    await sql(`UPDATE ${schema}.anchors SET content = 'seq 1'`);
    const damaged = { code: "ANCHOR_MISMATCH" };
    await expect(anchor.get("s")).rejects.toMatchObject(damaged);
    await expect(openAnchor({ schema }).set("s", second!, first!)).rejects.toMatchObject(damaged);
    await anchor.close();
    await anchor.close();
    await expect(anchor.get("s")).rejects.toMatchObject({ code: "CLOSED" });
    await expect(anchor.set("s", null, null)).rejects.toMatchObject({ code: "CLOSED" });
  });

  test("takes no schema of another kind, and leaves it as it is", async () => {
    const [log, keys, anchors] = [temporarySchema(), temporarySchema(), temporarySchema()];
    await openStore({ schema: log }).setup();
    await openKeyStore({ schema: keys }).setup();
    await openAnchor({ schema: anchors }).setup();
    const refused = { code: "UNSUPPORTED_FORMAT" };
    for (const schema of [log, keys]) {
      await expect(openAnchor({ schema }).set("s", first!, null)).rejects.toMatchObject(refused);
    }
    for (const schema of [log, anchors]) {
      await expect(openKeyStore({ schema }).shred("s")).rejects.toMatchObject(refused);
    }
    for (const schema of [keys, anchors]) {
      await expect(openStore({ schema }).setup()).rejects.toMatchObject(refused);
    }
  });
});

describe.skipIf(hasNoServer)("set() whose connection breaks", () => {
  test.each(cuts)("%s says what it did", async (where) => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const anchor = openAnchor({ schema, connectionString: proxy.url });
    proxy.cut(where, toSecond);
    expect(await anchor.set("new", second!, null)).toBe(true);
    expect(await anchor.get("new")).toEqual(second);
    await anchor.set("s", first!, null);
    proxy.cut(where, toSecond);
    expect(await anchor.set("s", second!, first!)).toBe(true);
    proxy.cut(where, toSecond);
    expect(await anchor.set("s", second!, third!)).toBe(false);
    expect(await openAnchor({ schema }).get("s")).toEqual(second);
    expect(proxy.cuts).toBe(2);
  });

  test("moves nothing when it arrives late, although the same point was put back", async () => {
    const proxy = await startProxy();
    const anchor = openAnchor({ connectionString: proxy.url });
    for (const before of [first!, null]) {
      const id = before === null ? "new" : "s";
      if (before !== null) await anchor.set(id, before, null);
      proxy.hold(toSecond);
      expect(await anchor.set(id, second!, before)).toBe(true);
      expect(await anchor.set(id, before, second!)).toBe(true);
      await proxy.release();
      expect(await anchor.get(id)).toEqual(before);
    }
  });

  test("is true when it was made and others have moved on since, up to eight times", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    const [anchor, other] = [
      openAnchor({ schema, connectionString: proxy.url }),
      openAnchor({ schema }),
    ];
    for (const [id, changes] of [
      ["few", 7],
      ["many", 8],
    ] as const) {
      await anchor.set(id, first!, null);
      proxy.cut("before the answer arrives", toSecond, { thenRefuses: true });
      const setting = anchor.set(id, second!, first!);
      const settled = expect(setting);
      const verdict =
        changes === 7
          ? settled.resolves.toBe(true)
          : settled.rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
      await expect.poll(() => other.get(id), { timeout: 20_000 }).toEqual(second);
      // Back and forth, so that the last point is the one that it began with.
      for (let change = 0; change < changes; change += 1) {
        const [from, to] = change % 2 === 0 ? [second!, first!] : [first!, second!];
        expect(await other.set(id, to, from)).toBe(true);
      }
      proxy.refuse(false);
      await verdict;
      expect(await other.get(id)).toEqual(changes === 7 ? first : second);
    }
  });

  test("is of unknown outcome while the database stays away, and only then", async () => {
    const proxy = await startProxy();
    const schema = temporarySchema();
    await openAnchor({ schema }).set("s", first!, null);
    const anchor = openAnchor({ schema, connectionString: proxy.url, outageTimeoutMs: 1_500 });
    await anchor.get("s");
    proxy.cut("before the answer arrives", toSecond, { thenRefuses: true });
    const unknown = { code: "OUTCOME_UNKNOWN" };
    await expect(anchor.set("s", second!, first!)).rejects.toMatchObject(unknown);
    await expect(anchor.set("s", third!, second!)).rejects.toMatchObject({ code: "IO_FAILED" });
    await expect(anchor.get("s")).rejects.toMatchObject({ code: "IO_FAILED" });
    proxy.refuse(false);
    expect(await anchor.get("s")).toEqual(second);
  });
});

describe.skipIf(hasNoServer)("roles", () => {
  /** Schemas, and roles with the rights that docs/operating-postgres.md gives them. */
  async function arrange() {
    const [log, anchors, keys] = [temporarySchema(), temporarySchema(), temporarySchema()];
    await openStore({ schema: log }).setup();
    await openAnchor({ schema: anchors }).setup();
    await openKeyStore({ schema: keys }).setup();
    const [agent, notary, keeper] = [await createRole(), await createRole(), await createRole()];
    const manual = readFileSync("docs/operating-postgres.md", "utf8");
    const grants = [...manual.matchAll(/^GRANT .*$/gm)].map(([line]) =>
      line
        .replace(" agent;", ` ${agent.role};`)
        .replace(" notary;", ` ${notary.role};`)
        .replace(" keeper;", ` ${keeper.role};`)
        .replaceAll("checkpointer_anchors", anchors)
        .replaceAll("checkpointer_keys", keys)
        .replaceAll(/\bcheckpointer\b/g, log),
    );
    expect(grants).toHaveLength(10);
    await sql(grants.join("\n"));
    return { log, anchors, keys, agent, notary, keeper };
  }

  test("that may each use their own schema are enough for a sealed and anchored log", async () => {
    const { log, anchors, keys, agent, notary, keeper } = await arrange();
    const codec = aesGcm({ keys: keyRing({ primary: generateKey() }) });
    const anchor = openAnchor({ schema: anchors, connectionString: notary.connectionString });
    const store = openStore({ schema: log, connectionString: agent.connectionString });
    const checkpointer = createCheckpointer(store, { codec, anchor });
    await checkpointer.append("s", [{ type: "user", content: "1" }]);
    await checkpointer.append("s", [{ type: "user", content: "2" }]);
    expect(await anchor.get("s")).toMatchObject({ seq: 2 });
    // The log's own role cuts its tail, which it may, and is found out.
    await openStore({ schema: log, connectionString: agent.connectionString }).commit(
      "s",
      append([], { keep: 1, batches: [] }),
    );
    await expect(checkpointer.head("s")).rejects.toMatchObject({ code: "ANCHOR_MISMATCH" });
    await checkpointer.delete("s");
    const keyStore = openKeyStore({ schema: keys, connectionString: keeper.connectionString });
    const key = { id: "0".repeat(16), wrapperId: "w", wrapped: new Uint8Array(9), created: "" };
    expect(await keyStore.add("s", key)).toBe(true);
    await keyStore.shred("s");
    await keyStore.revive("s");
    for await (const id of keyStore.list()) expect(id).toBe("none is left");
  });

  test("can do nothing to what belongs to another", async () => {
    const { log, anchors, keys, agent, notary, keeper } = await arrange();
    const point = { seq: 1, tag: "aa" };
    await openAnchor({ schema: anchors }).set("s", point, null);
    const refused = { code: "IO_FAILED", message: expect.stringContaining("permission denied") };
    for (const { connectionString } of [agent, keeper]) {
      const anchor = openAnchor({ schema: anchors, connectionString });
      await expect(anchor.get("s")).rejects.toMatchObject(refused);
      await expect(anchor.set("s", null, point)).rejects.toMatchObject(refused);
    }
    for (const { connectionString } of [notary, keeper]) {
      const store = openStore({ schema: log, connectionString });
      await expect(store.head("s")).rejects.toMatchObject(refused);
      await expect(store.commit("s", append(["1"]))).rejects.toMatchObject(refused);
      await expect(store.delete("s")).rejects.toMatchObject(refused);
    }
    const denied = { ...refused, code: "KEY_UNAVAILABLE" };
    for (const { connectionString } of [agent, notary]) {
      const store = openKeyStore({ schema: keys, connectionString });
      await expect(store.get("s")).rejects.toMatchObject(denied);
      await expect(store.shred("s")).rejects.toMatchObject(denied);
    }
    expect(await openAnchor({ schema: anchors }).get("s")).toEqual(point);
  });
});
