import { expect } from "vitest";
import {
  collect,
  eventsOf,
  expectCode,
  expectNoChange,
  expectRefusal,
  failureOf,
  id,
  infoOf,
  numbered,
  numbersOf,
  readAll,
  sequence,
  type Rule,
  type RuleGroup,
} from "./rule.ts";

const rules: Rule[] = [
  {
    name: "append() numbers events densely from 1 and returns the new head",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, numbered(1, 3))).toBe(3);
      expect(await handle.append(id, numbered(4, 4))).toBe(4);
      expect(await handle.append(id, numbered(5, 12))).toBe(12);
      const stored = await readAll(handle);
      expect(stored.map(({ seq }) => seq)).toEqual(sequence(1, 12));
      expect(stored.map(({ event }) => event)).toEqual(numbered(1, 12));
      expect(await handle.head(id)).toBe(12);
    },
  },
  {
    name: "append() links each event to the one before and echoes the session id",
    async run(store) {
      const handle = store.open();
      await handle.append("a/b", numbered(1, 3));
      for (const { seq, parentSeq, sessionId } of await readAll(handle, "a/b")) {
        expect(parentSeq).toBe(seq === 1 ? null : seq - 1);
        expect(sessionId).toBe("a/b");
      }
    },
  },
  {
    name: "append() stamps one ISO time per call",
    async run(store) {
      const handle = store.open();
      const earliest = Math.floor(Date.now());
      await handle.append(id, numbered(1, 3));
      await handle.append(id, numbered(4, 4));
      const times = (await readAll(handle)).map(({ ts }) => ts);
      expect(new Set(times.slice(0, 3)).size).toBe(1);
      expect(times.toSorted()).toEqual(times);
      for (const ts of times) {
        expect(ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(ts)).toBeGreaterThanOrEqual(earliest);
        expect(Date.parse(ts)).toBeLessThanOrEqual(Date.now() + 1);
      }
    },
  },
  {
    name: "append() keeps equal events apart",
    async run(store) {
      const handle = store.open();
      const event = { n: 1 };
      await handle.append(id, [event, event]);
      await handle.append(id, [event]);
      expect(await numbersOf(handle)).toEqual([1, 1, 1]);
    },
  },
  {
    name: "append() makes an event visible to other handles when it resolves",
    async run(store) {
      const [writer, reader] = [store.open(), store.open()];
      for (const n of sequence(1, 5)) {
        expect(await writer.append(id, [{ n }])).toBe(n);
        expect(await reader.head(id)).toBe(n);
        expect(await numbersOf(reader)).toEqual(sequence(1, n));
      }
    },
  },
  {
    name: "head() of an unknown session is 0 and looking creates nothing",
    async run(store) {
      const handle = store.open();
      expect(await handle.head("unknown")).toBe(0);
      expect(await handle.headToken("unknown")).toBe(await handle.headToken("other"));
      expect(await readAll(handle, "unknown")).toEqual([]);
      expect(await collect(handle.verify("unknown"))).toEqual([]);
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "append([]) returns the head and creates nothing",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, [])).toBe(0);
      expect(await handle.append(id, [], 0)).toBe(0);
      expect(await handle.list()).toEqual([]);
      await handle.append(id, numbered(1, 2));
      await handle.append("other", numbered(1, 1));
      expect(await expectNoChange(handle, () => handle.append(id, []))).toBe(2);
      expect(await expectNoChange(handle, () => store.open().append(id, []))).toBe(2);
    },
  },
  {
    name: "append([]) checks expectedHead",
    async run(store) {
      const handle = store.open();
      await expectCode(handle.append(id, [], 1), "CONFLICT");
      await handle.append(id, numbered(1, 2));
      const token = await handle.headToken(id);
      expect(await handle.append(id, [], 2)).toBe(2);
      expect(await handle.append(id, [], token)).toBe(2);
      await expectNoChange(handle, async () => {
        for (const stale of [0, 1, 3]) await expectCode(handle.append(id, [], stale), "CONFLICT");
      });
      await store.open().append(id, numbered(3, 3));
      await expectCode(handle.append(id, [], 2), "CONFLICT");
      await expectCode(handle.append(id, [], token), "CONFLICT");
    },
  },
  {
    name: "append() stores nothing of a batch with one bad element",
    async run(store) {
      const handle = store.open();
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      for (const bad of [{ big: 1n }, cycle, null, undefined]) {
        const batch = [{ n: 1 }, bad as object, { n: 2 }];
        await expectCode(handle.append("new", batch), "EVENT_NOT_SERIALIZABLE");
      }
      expect(await handle.list()).toEqual([]);
      await handle.append(id, numbered(1, 1));
      await expectNoChange(handle, () =>
        expectCode(handle.append(id, [{ n: 2 }, { when: new Date() }]), "EVENT_NOT_SERIALIZABLE"),
      );
      expect(await handle.append(id, numbered(2, 2))).toBe(2);
      expect(await numbersOf(handle)).toEqual([1, 2]);
    },
  },
  {
    name: "append() captures events at the call",
    async run(store) {
      const handle = store.open();
      const make = () => ({ n: 1, list: [1], deep: { kept: true } });
      const wanted = [make(), make()];
      const running = wanted.map(() => {
        const event: Record<string, unknown> & ReturnType<typeof make> = make();
        const batch: object[] = [event];
        const append = handle.append(id, batch);
        event.n = 2;
        event.list.push(2);
        event.deep.kept = false;
        event["added"] = () => {};
        batch.push({ n: 3 });
        return append;
      });
      expect(await Promise.all(running)).toEqual([1, 2]);
      expect(await eventsOf(handle)).toEqual(wanted);
    },
  },
  {
    name: "append() stores 5,000 events in one batch",
    async run(store) {
      const handle = store.open();
      expect(await handle.append(id, numbered(1, 5_000))).toBe(5_000);
      expect(await numbersOf(store.open())).toEqual(sequence(1, 5_000));
    },
  },
  {
    name: "append() refuses what is over the declared limits before anything is written",
    async run(store) {
      const handle = store.open();
      const { maxBatchEvents, maxEventBytes } = handle.capabilities.limits;
      const event = {};
      const tooMany = Array.from({ length: maxBatchEvents + 1 }, () => event);
      await expectCode(handle.append(id, tooMany), "LIMIT_EXCEEDED");
      const tooBig = [{ n: 1 }, { text: "\u20ac".repeat(maxEventBytes / 3) }];
      await expectCode(handle.append(id, tooBig), "LIMIT_EXCEEDED");
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "append() takes nothing but an array of events",
    async run(store) {
      const handle = store.open();
      const garbage = [{}, { length: 1, 0: {} }, "text", null, undefined, 1, new Set([{}])];
      for (const events of garbage) {
        await expectRefusal(handle.append(id, events as unknown as object[]), events);
      }
      for (const signal of [null, 1, {}]) {
        const options = { signal: signal as unknown as AbortSignal };
        await expectRefusal(handle.append(id, [{}], options), signal);
      }
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "append() with an aborted signal stores nothing",
    async run(store) {
      const handle = store.open();
      const reason = new Error("changed my mind");
      const signal = AbortSignal.abort(reason);
      expect(await failureOf(handle.append(id, numbered(1, 1), { signal }))).toBe(reason);
      expect(await handle.list()).toEqual([]);
    },
  },
  {
    name: "append() that is aborted while it waits stores nothing and holds up nobody",
    async run(store) {
      const handle = store.open();
      const aborter = new AbortController();
      const reason = new Error("changed my mind");
      const running = handle.append(id, numbered(1, 1));
      const waiting = handle.append(id, numbered(2, 3), { signal: aborter.signal });
      const behind = handle.append(id, numbered(4, 4));
      aborter.abort(reason);
      expect(await failureOf(waiting)).toBe(reason);
      expect(await Promise.all([running, behind])).toEqual([1, 2]);
      expect(await numbersOf(handle)).toEqual([1, 4]);
    },
  },
  {
    name: "append() that has started completes in spite of an abort",
    async run(store) {
      const handle = store.open();
      const aborter = new AbortController();
      const running = handle.append(id, numbered(1, 2), { signal: aborter.signal });
      aborter.abort();
      expect(await running).toBe(2);
      expect((await infoOf(handle)).head).toBe(2);
    },
  },
];

/** What one append does. */
export const appendRules: RuleGroup = { name: "append", rules };
