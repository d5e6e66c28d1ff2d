// Whole checkpointers of the minimal methods, as they are written in an afternoon.

import type { CreateFixture, OpenedHandle } from "../../../conformance/fixture.ts";
import { CheckpointConflictError, type EventObject } from "../../../src/index.ts";
import { collect } from "../../../conformance/collect.ts";
import { createRendezvous } from "../rendezvous.ts";
import { goodParts, minimalCheckpointer, plainJson, type Parts } from "../minimal-checkpointer.ts";

/** Minimal checkpointers over shared tables, with other parts. */
const made =
  (
    change: (parts: Parts) => Partial<Parts>,
    spoil: (good: OpenedHandle, parts: Parts) => Partial<OpenedHandle> = () => ({}),
  ): CreateFixture =>
  () => {
    const good = goodParts();
    const parts = { ...good, ...change(good) };
    return {
      name: "broken",
      manifest: { concurrency: "process" },
      open() {
        const handle = minimalCheckpointer(parts);
        return { ...handle, ...spoil(handle, parts) };
      },
      dispose: () => undefined,
    };
  };

export const keepsTheCallersObjects: CreateFixture = made(() => ({
  keep(event) {
    plainJson(event);
    return event;
  },
  give: (kept) => structuredClone(kept) as EventObject,
}));

export const handsOutItsOwnObjects: CreateFixture = made(() => ({
  keep: (event) => JSON.parse(plainJson(event)) as unknown,
  give: (kept) => kept as EventObject,
}));

export const pushesBeforeItSerialises: CreateFixture = made(
  () => ({}),
  (good, { keep }) => ({
    async append(sessionId, events, expectedHead) {
      const bad = events.findIndex((event) => !isKept(keep, event));
      if (bad <= 0) return good.append(sessionId, events, expectedHead);
      await good.append(sessionId, events.slice(0, bad), expectedHead);
      return good.append(sessionId, events.slice(bad));
    },
  }),
);

function isKept(keep: (event: unknown) => unknown, event: unknown): boolean {
  try {
    keep(event);
    return true;
  } catch {
    return false;
  }
}

export const iteratesOverTheLiveArray: CreateFixture = made(
  () => ({}),
  (good, { tables, give }) => ({
    async *read(sessionId, options) {
      await collect(good.read(sessionId, options));
      const rows = tables.get(sessionId)?.rows ?? [];
      for (let seq = (options?.sinceSeq ?? 0) + 1; seq <= rows.length; seq += 1) {
        const { ts, kept } = rows[seq - 1]!;
        yield { seq, sessionId, parentSeq: seq === 1 ? null : seq - 1, ts, event: give(kept) };
      }
    },
  }),
);

/** The session is one value: it is loaded, changed and saved. */
export const savesTheSessionWhole: CreateFixture = () => {
  const parts = goodParts();
  const window = createRendezvous();
  return {
    name: "broken",
    manifest: { concurrency: "process" },
    open(): OpenedHandle {
      const good = minimalCheckpointer(parts);
      return {
        ...good,
        async append(sessionId, events, expectedHead) {
          const kept = events.map(parts.keep);
          const loaded = parts.tables.get(sessionId)?.rows.slice() ?? [];
          await good.append(sessionId, [], expectedHead);
          if (events.length === 0) return loaded.length;
          await window(sessionId);
          if (expectedHead !== undefined && expectedHead !== loaded.length) {
            throw new CheckpointConflictError(sessionId, expectedHead, loaded.length);
          }
          await good.append(sessionId, kept.map(parts.give));
          const fresh = parts.tables.get(sessionId)!;
          const rows = kept.map((one) => ({ ts: fresh.rows.at(-1)!.ts, kept: one }));
          parts.tables.set(sessionId, { rows: [...loaded, ...rows], mtime: fresh.mtime });
          return loaded.length + rows.length;
        },
      };
    },
    dispose: () => undefined,
  };
};

export const numbersFromZero: CreateFixture = made(
  () => ({}),
  (good) => ({
    async *read(sessionId, options) {
      for await (const stored of good.read(sessionId, options)) {
        const seq = stored.seq - 1;
        yield { ...stored, seq, parentSeq: seq === 0 ? null : seq - 1 };
      }
    },
  }),
);

export const createsWithEmptyAppends: CreateFixture = made(
  () => ({}),
  (good, { tables }) => ({
    async append(sessionId, events, expectedHead) {
      const head = await good.append(sessionId, events, expectedHead);
      if (!tables.has(sessionId)) tables.set(sessionId, { rows: [], mtime: Date.now() });
      return head;
    },
  }),
);
