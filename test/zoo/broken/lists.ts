// Stores that list other sessions, or the right ones in another order.

import { pageSessions, type SessionInfo, type RecordStore } from "../../../src/index.ts";
import type { HandleFault, StoreFault } from "../faults.ts";

const everything = { limit: Infinity, prefix: "" };

export const listsByMinute: StoreFault = () => (good) => ({
  ...good,
  async list(page) {
    const sessions = await good.list(everything);
    return pageSessions(
      sessions.map((info) => ({ ...info, mtime: info.mtime - (info.mtime % 60_000) })),
      page,
    );
  },
});

/** Lists in the order of another time than that of the last change. */
const timing =
  (timeOf: (info: SessionInfo, known: number | undefined) => number): StoreFault =>
  () => {
    const times = new Map<string, number>();
    return (good): RecordStore => ({
      ...good,
      async commit(sessionId, change) {
        const outcome = await good.commit(sessionId, change);
        if ("head" in outcome && outcome.head !== null && !times.has(sessionId)) {
          times.set(sessionId, change.mtime);
        }
        return outcome;
      },
      async delete(sessionId) {
        times.delete(sessionId);
        await good.delete(sessionId);
      },
      async list(page) {
        const sessions = await good.list(everything);
        return pageSessions(
          sessions.map((info) => ({ ...info, mtime: timeOf(info, times.get(info.id)) })),
          page,
        );
      },
    });
  };

export const listsByCreation: StoreFault = timing((info, created) => created ?? info.mtime);

export const listsByName: StoreFault = () => (good) => ({
  ...good,
  async list(page) {
    const sessions = await good.list({ ...everything, prefix: page.prefix });
    const sorted = sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const { cursor } = page;
    const rest = cursor === undefined ? sorted : sorted.filter(({ id }) => id > cursor.id);
    return rest.slice(0, page.limit);
  },
});

export const movesOnlyForAppends: StoreFault = () => {
  const appended = new Map<string, number>();
  return (good) => ({
    ...good,
    async commit(sessionId, change) {
      const outcome = await good.commit(sessionId, change);
      if ("head" in outcome && change.batches.length > 0) appended.set(sessionId, change.mtime);
      return outcome;
    },
    async list(page) {
      const sessions = await good.list(everything);
      return pageSessions(
        sessions.map((info) => ({ ...info, mtime: appended.get(info.id) ?? info.mtime })),
        page,
      );
    },
  });
};

export const takesPrefixForPattern: StoreFault = () => (good) => ({
  ...good,
  async list(page) {
    const pattern = page.prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const like = new RegExp(`^${pattern.replaceAll("%", ".*").replaceAll("_", ".")}`, "s");
    const sessions = await good.list(everything);
    return pageSessions(
      sessions.filter(({ id }) => like.test(id)),
      { ...page, prefix: "" },
    );
  },
});

export const hidesEmptySessions: StoreFault = () => (good) => ({
  ...good,
  async list(page) {
    const sessions = await good.list(everything);
    return pageSessions(
      sessions.filter(({ head }) => head > 0),
      page,
    );
  },
});

export const looksForTheCursorItself: StoreFault = () => (good) => ({
  ...good,
  async list({ cursor, limit, prefix }) {
    const sessions = await good.list({ ...everything, prefix });
    const place = sessions.findIndex(({ id }) => id === cursor?.id);
    return sessions.slice(place + 1, place + 1 + limit);
  },
});

export const keepsThePageItWasAskedFor: HandleFault = () => (good) => {
  let kept: SessionInfo[] | undefined;
  let state = "";
  return {
    ...good,
    async list(options) {
      const sessions = await good.list(options);
      if (options !== undefined) return sessions;
      const now = JSON.stringify(sessions);
      if (kept === undefined || now !== state) [kept, state] = [sessions, now];
      return kept;
    },
  };
};

export const listsNewSessionsForNothing: HandleFault = () => {
  const phantoms = new Set<string>();
  return (good) => ({
    ...good,
    async append(sessionId, events, expected) {
      const head = await good.append(sessionId, events, expected);
      if (head === 0) phantoms.add(sessionId);
      else phantoms.delete(sessionId);
      return head;
    },
    async list(options) {
      const sessions = await good.list(options);
      const ghosts = [...phantoms].filter((one) => sessions.every(({ id }) => id !== one));
      return [...sessions, ...ghosts.map((id) => ({ id, mtime: 1, head: 0 }))];
    },
    async delete(sessionId) {
      phantoms.delete(sessionId);
      await good.delete(sessionId);
    },
  });
};
