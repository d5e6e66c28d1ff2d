// Stores and checkpointers whose handles are not what they say, or not on their own.

import type { CreateFixture } from "../../../conformance/fixture.ts";
import type { RecordStore } from "../../../src/index.ts";
import { CheckpointError, createCheckpointer, type EventObject } from "../../../src/index.ts";
import { pause } from "../rendezvous.ts";
import { goodStore, type HandleFault, type StoreFault } from "../faults.ts";

export const refusesToClose: StoreFault = () => (good) => ({
  ...good,
  close: () => Promise.reject(new CheckpointError("IO_FAILED", "Cannot close")),
});

export const closesTheSharedPool: StoreFault = () => {
  let ended = false;
  return (good): RecordStore => {
    const inPool = async <T>(work: () => Promise<T>): Promise<T> => {
      if (ended) throw new Error("Cannot use a pool after calling end on the pool");
      return work();
    };
    return {
      ...good,
      head: (sessionId) => inPool(() => good.head(sessionId)),
      commit: (sessionId, change) => inPool(() => good.commit(sessionId, change)),
      list: (page) => inPool(() => good.list(page)),
      delete: (sessionId) => inPool(() => good.delete(sessionId)),
      async close() {
        ended = true;
      },
    };
  };
};

/** Its one table, for as long as anybody uses it. */
let table: RecordStore | undefined;
let users = 0;

export const sharesOneTable: CreateFixture = () => {
  table ??= goodStore();
  users += 1;
  const store = table;
  return {
    name: "broken",
    open: () => createCheckpointer<EventObject>(store),
    dispose() {
      users -= 1;
      if (users === 0) table = undefined;
    },
  };
};

export const takesOneWriterAtATime: StoreFault = () => {
  let writing: string | undefined;
  return (good) => ({
    ...good,
    async commit(sessionId, change) {
      if (writing !== undefined && writing !== sessionId) {
        throw new CheckpointError("BUSY", "database is locked");
      }
      writing = sessionId;
      await pause();
      return good.commit(sessionId, change).finally(() => void (writing = undefined));
    },
  });
};

export const changesItsMind: StoreFault = () => {
  let handles = 0;
  return (good) => {
    handles += 1;
    const readIsolation = handles % 2 === 0 ? "prefix" : "snapshot";
    return { ...good, capabilities: { ...good.capabilities, readIsolation } };
  };
};

export const thawsItsManifest: HandleFault = () => (good) => ({
  ...good,
  capabilities: { ...good.capabilities },
});

export const claimsWhatItCannot: HandleFault = () => (good) => ({
  ...good,
  async truncate() {
    throw new CheckpointError("NOT_SUPPORTED", "Cannot truncate");
  },
});

export const findsFaultsWhereNoneAre: StoreFault = () => (good) => ({
  ...good,
  async verify(sessionId) {
    const head = await good.head(sessionId);
    const message = "the end of the log is missing";
    return head?.seq === 0 ? [{ code: "TORN_TAIL" as const, seq: 0, offset: 0, message }] : [];
  },
});

export const tokensOfTheWholeStore: HandleFault = () => (good) => {
  const plain = <T>(expected: T): T =>
    (typeof expected === "string" ? expected.replace(/-\d+:/, ":") : expected) as T;
  return {
    ...good,
    append(sessionId, events, expected) {
      const given = typeof expected === "object" && expected !== null && !Array.isArray(expected);
      if (!given) return good.append(sessionId, events, plain(expected));
      const options = { ...expected, expectedHead: plain(expected.expectedHead) };
      return good.append(sessionId, events, options);
    },
    truncate: (sessionId, toSeq, expected) => good.truncate(sessionId, toSeq, plain(expected)),
    async headToken(sessionId) {
      const token = await good.headToken(sessionId);
      const events = (await good.list()).reduce((sum, { head }) => sum + head, 0);
      return token === ":0" ? token : (token.replace(":", `-${events}:`) as typeof token);
    },
  };
};
