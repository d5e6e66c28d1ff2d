import { inspect } from "node:util";
import { expect } from "vitest";
import { failureOf } from "../../conformance/check.ts";
import { collect } from "../../conformance/collect.ts";
import { id, numberOf, numbered, numbersOf } from "../../conformance/session-state.ts";
import { CodecError, type Codec } from "../../src/index.ts";
import type { Handle } from "../stores.ts";
import { xorCodec } from "../xor-codec.ts";
import { expectCode, expectNoChange, type Rule, type RuleGroup } from "./rule.ts";

/** Reads until it fails. */
async function readUntilFailure(handle: Handle): Promise<{ seen: number[]; error: unknown }> {
  const seen: number[] = [];
  const error = await failureOf(
    (async () => {
      for await (const stored of handle.read(id)) seen.push(numberOf(stored));
    })(),
  );
  return { seen, error };
}

const decodeFaults: ReadonlyArray<readonly [what: string, decode: () => unknown]> = [
  [
    "throws",
    () => {
      throw new Error("the secret is out");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the secret is out"))],
  [
    "throws something that is no error",
    () => {
      // oxlint-disable-next-line typescript/only-throw-error
      throw "the secret is out";
    },
  ],
  ["gives bytes that are not UTF-8", () => Uint8Array.of(0x7b, 0xff, 0x7d)],
  ["gives text that is not JSON", () => new TextEncoder().encode("the secret is out")],
  ["gives JSON that is no object", () => new TextEncoder().encode('["the secret is out"]')],
  ["gives no bytes", () => "the secret is out"],
  ["gives nothing", () => undefined],
];

const rules: Rule[] = [
  {
    name: "append() refuses to write behind a record that its handle cannot read",
    async run(store) {
      const [plain, sealed] = [store.open(), store.openWith(xorCodec())];
      const stranger = store.openWith(xorCodec({ secret: 1 }));
      await plain.append("plain", numbered(1, 2));
      await sealed.append("sealed", numbered(1, 2));
      const refusals = [
        [plain, "sealed", "SEALED_IN_PLAIN_LOG"],
        [sealed, "plain", "PLAINTEXT_IN_SEALED_LOG"],
        [stranger, "sealed", "DECODE_FAILED"],
      ] as const;
      for (const [handle, sessionId, code] of refusals) {
        await expectCode(handle.append(sessionId, numbered(3, 3)), code);
        await expectCode(handle.append(sessionId, numbered(3, 3), 2), code);
        expect(await handle.append(sessionId, [])).toBe(2);
      }
      expect(await plain.append("plain", numbered(3, 3))).toBe(3);
      expect(await sealed.append("sealed", numbered(3, 3), 2)).toBe(3);
      expect(await numbersOf(plain, "plain")).toEqual([1, 2, 3]);
      expect(await numbersOf(sealed, "sealed")).toEqual([1, 2, 3]);
      await sealed.truncate("plain", 0);
      expect(await sealed.append("plain", numbered(4, 4))).toBe(1);
    },
  },
  {
    name: "a codec that cannot decode changes nothing of what is stored",
    async run(store) {
      const sealed = store.openWith(xorCodec());
      await sealed.append(id, numbered(1, 3), { idempotencyKey: "key" });
      const stranger = store.openWith(xorCodec({ secret: 1 }));
      await expectNoChange(sealed, async () => {
        await expectCode(stranger.read(id), "DECODE_FAILED");
        await expectCode(stranger.read(id, { reverse: true }), "DECODE_FAILED");
        await expectCode(stranger.tail(id), "DECODE_FAILED");
        await expectCode(stranger.fork(id, 2, "target"), "DECODE_FAILED");
        const repeat = { idempotencyKey: "key" };
        await expectCode(stranger.append(id, numbered(1, 3), repeat), "DECODE_FAILED");
        const [report] = await collect(stranger.verify(id));
        expect(report).toMatchObject({ ok: false, findings: [{ code: "DECODE_FAILED", seq: 1 }] });
        if (stranger.capabilities.repair) expect(await stranger.repair(id)).toBeNull();
      });
    },
  },
  ...decodeFaults.map(([what, decode]): Rule => ({
    name: `read() with a codec that ${what} fails with DECODE_FAILED and tells no secret`,
    async run(store) {
      const seals = xorCodec();
      await store.openWith(seals).append(id, numbered(1, 4));
      const faulty: Codec = {
        ...seals,
        decode: (bytes, context) =>
          (context.seq === 3 ? decode() : seals.decode(bytes, context)) as Uint8Array,
      };
      const { seen, error } = await readUntilFailure(store.openWith(faulty));
      expect(seen).toEqual([1, 2]);
      expect(error).toBeInstanceOf(CodecError);
      expect(error).toMatchObject({ code: "DECODE_FAILED", stage: "xor", sessionId: id, seq: 3 });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("secret");
    },
  })),
  {
    name: "append() with a codec that encodes to anything but bytes fails and stores nothing",
    async run(store) {
      const seals = xorCodec();
      const good = store.openWith(seals);
      await good.append(id, numbered(1, 1));
      const notBytes: unknown[] = ["text", "a\nb", undefined, null, new ArrayBuffer(3), [1], {}];
      for (const payload of notBytes) {
        const encode = () => payload as Uint8Array;
        const handle = store.openWith({ ...seals, encode });
        await expectNoChange(good, () => failureOf(handle.append(id, numbered(2, 2))));
      }
      expect(await good.append(id, numbered(2, 2))).toBe(2);
    },
  },
  {
    name: "append() with a codec that cannot encode one event fails alone and leaves no trace",
    async run(store) {
      const seals = xorCodec();
      const codec: Codec = {
        ...seals,
        encode(bytes, context) {
          if (new TextDecoder().decode(bytes) === '{"n":3}') throw new Error("cannot encode");
          return seals.encode(bytes, context);
        },
      };
      const handle = store.openWith(codec);
      await failureOf(handle.append(id, numbered(2, 3)));
      expect(await handle.list()).toEqual([]);
      const results = await Promise.allSettled([
        handle.append(id, numbered(1, 1)),
        handle.append(id, numbered(2, 2)),
        handle.append(id, numbered(3, 3)),
        handle.append(id, numbered(4, 4)),
      ]);
      const heads = results.map((result) => (result.status === "fulfilled" ? result.value : null));
      expect(heads).toEqual([1, 2, null, 3]);
      expect(await numbersOf(handle)).toEqual([1, 2, 4]);
    },
  },
];

/** What becomes of records that a codec cannot encode or decode. */
export const codecFaultRules: RuleGroup = { name: "codec faults", rules };
