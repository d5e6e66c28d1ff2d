import { expect } from "vitest";
import { failureOf } from "../../conformance/check.ts";
import { collect } from "../../conformance/collect.ts";
import { id, listedIds, numbered, numbersOf } from "../../conformance/session-state.ts";
import { CodecError, type Codec, type CodecContext } from "../../src/index.ts";
import { xorCodec } from "../xor-codec.ts";
import { expectCode, expectNoChange, type Rule, type RuleGroup } from "./rule.ts";

interface Encoded extends CodecContext {
  readonly payload: Uint8Array;
}

/** With bytes that cannot change and that are a plain Uint8Array, whatever the store uses. */
function copyOf({ previous, ...place }: CodecContext): CodecContext {
  return { ...place, previous: previous === null ? null : Uint8Array.from(previous) };
}

/** A codec that remembers where it was called, and with what. */
function recording(): { codec: Codec; encoded: Encoded[]; decoded: CodecContext[] } {
  const inner = xorCodec();
  const encoded: Encoded[] = [];
  const decoded: CodecContext[] = [];
  const codec: Codec = {
    ...inner,
    encode(bytes, context) {
      const payload = inner.encode(bytes, context) as Uint8Array;
      encoded.push({ ...copyOf(context), payload: Uint8Array.from(payload) });
      return payload;
    },
    decode(bytes, context) {
      decoded.push(copyOf(context));
      return inner.decode(bytes, context);
    },
  };
  return { codec, encoded, decoded };
}

/** A codec that waits in its first `encode` until it is let go. */
function waiting(inner: Codec): { codec: Codec; entered: Promise<void>; letGo: () => void } {
  let enter = (): void => {};
  let letGo = (): void => {};
  const entered = new Promise<void>((resolve) => void (enter = resolve));
  const free = new Promise<void>((resolve) => void (letGo = resolve));
  const codec: Codec = {
    ...inner,
    async encode(bytes, context) {
      enter();
      await free;
      return inner.encode(bytes, context);
    },
  };
  return { codec, entered, letGo };
}

const rules: Rule[] = [
  {
    name: "read() with a codec refuses plain records and touches nothing",
    async run(store) {
      const plain = store.open();
      await plain.append(id, numbered(1, 2));
      await plain.append("other", numbered(1, 1));
      const sealed = store.openWith(xorCodec({ id: "seal" }));
      await expectNoChange(plain, async () => {
        const error = await failureOf(sealed.read(id));
        expect(error).toBeInstanceOf(CodecError);
        const place = { stage: "seal", sessionId: id, seq: 1 };
        expect(error).toMatchObject({ code: "PLAINTEXT_IN_SEALED_LOG", ...place });
        await expectCode(sealed.read(id, { reverse: true }), "PLAINTEXT_IN_SEALED_LOG");
        await expectCode(sealed.fork(id, 1, "target"), "PLAINTEXT_IN_SEALED_LOG");
        const reports = await collect(sealed.verify());
        expect(reports.map(({ ok }) => ok)).toEqual([false, false]);
        expect(reports[0]?.findings[0]?.code).toBe("PLAINTEXT_IN_SEALED_LOG");
        expect(await sealed.head(id)).toBe(2);
        expect(await listedIds(sealed)).toEqual(["other", id]);
      });
    },
  },
  {
    name: "read() without a codec refuses sealed records and touches nothing",
    async run(store) {
      const sealed = store.openWith(xorCodec());
      await sealed.append(id, numbered(1, 2));
      const plain = store.open();
      await expectNoChange(sealed, async () => {
        const error = await failureOf(plain.read(id));
        expect(error).toBeInstanceOf(CodecError);
        expect(error).toMatchObject({ code: "SEALED_IN_PLAIN_LOG", sessionId: id, seq: 1 });
        await expectCode(plain.tail(id), "SEALED_IN_PLAIN_LOG");
        await expectCode(plain.fork(id, 1, "target"), "SEALED_IN_PLAIN_LOG");
        const [report] = await collect(plain.verify(id));
        expect(report).toMatchObject({ ok: false, records: 0 });
        expect(report?.findings[0]).toMatchObject({ code: "SEALED_IN_PLAIN_LOG", seq: 1 });
      });
    },
  },
  {
    name: "a codec learns the exact session, seq, time and payload before, at both ends",
    async run(store) {
      const { codec, encoded, decoded } = recording();
      const handle = store.openWith(codec);
      await handle.append("a/b", numbered(1, 3));
      await Promise.all([handle.append("a/b", []), handle.append("a/b", numbered(4, 5))]);
      const stored = await collect(handle.read("a/b"));
      const chain = encoded.map(({ payload: _payload, ...context }) => context);
      expect(chain).toEqual(
        stored.map(({ seq, ts }, index) => ({
          sessionId: "a/b",
          seq,
          ts,
          previous: encoded[index - 1]?.payload ?? null,
        })),
      );
      expect(decoded).toEqual(chain);
      decoded.length = 0;
      await collect(handle.read("a/b", { reverse: true, untilSeq: 4, limit: 2 }));
      expect(decoded).toEqual([chain[3], chain[2]]);
      decoded.length = 0;
      await collect(handle.read("a/b", { sinceSeq: 3 }));
      expect(decoded).toEqual([chain[3], chain[4]]);
    },
  },
  {
    name: "a codec learns the payload before across handles and after truncate and delete",
    async run(store) {
      const first = recording();
      const second = recording();
      const [one, two] = [store.openWith(first.codec), store.openWith(second.codec)];
      await one.append(id, numbered(1, 3));
      await two.append(id, numbered(4, 4));
      expect(second.encoded.at(-1)).toMatchObject({ seq: 4 });
      expect(second.encoded.at(-1)?.previous).toEqual(first.encoded[2]?.payload);
      await one.append(id, numbered(5, 5));
      expect(first.encoded.at(-1)?.previous).toEqual(second.encoded[0]?.payload);
      await two.truncate(id, 2);
      await one.append(id, numbered(6, 6));
      expect(first.encoded.at(-1)).toMatchObject({ seq: 3 });
      expect(first.encoded.at(-1)?.previous).toEqual(first.encoded[1]?.payload);
      await two.delete(id);
      await one.append(id, numbered(7, 7));
      expect(first.encoded.at(-1)).toMatchObject({ seq: 1, previous: null });
      expect(await numbersOf(two)).toEqual([7]);
    },
  },
  {
    name: "append() encodes anew when another handle was faster",
    async run(store) {
      const slow = recording();
      const { codec, entered, letGo } = waiting(slow.codec);
      const [loser, winner] = [store.openWith(codec), store.openWith(xorCodec())];
      const losing = [loser.append(id, numbered(3, 4)), loser.append(id, numbered(5, 5))];
      await entered;
      expect(await winner.append(id, numbered(1, 2))).toBe(2);
      letGo();
      expect(await Promise.all(losing)).toEqual([4, 5]);
      expect(await numbersOf(winner)).toEqual([1, 2, 3, 4, 5]);
      expect(await numbersOf(loser)).toEqual([1, 2, 3, 4, 5]);
      expect(slow.encoded.at(-1)?.seq).toBe(5);
    },
  },
  {
    name: "append() with expectedHead that was overtaken while it encoded conflicts",
    async run(store) {
      for (const token of [false, true]) {
        const { codec, entered, letGo } = waiting(xorCodec());
        const [loser, winner] = [store.openWith(codec), store.openWith(xorCodec())];
        const expected = token ? await loser.headToken(id) : 0;
        const losing = failureOf(loser.append(id, numbered(9, 9), expected));
        await entered;
        await winner.append(id, numbered(1, 2));
        letGo();
        expect(await losing).toMatchObject({ code: "CONFLICT", expected, actual: 2 });
        expect(await numbersOf(winner)).toEqual([1, 2]);
        await winner.delete(id);
      }
    },
  },
];

/** What the engine and a codec promise each other; these rules bring codecs of their own. */
export const codecSeamRules: RuleGroup = { name: "codec seam", rules };
