// The OpenAI Agents SDK's session in memory. A session is a MemorySession, an event an item of type "unknown" whose
// provider data is the event. The SDK leaves it to the application to keep its sessions together; so does the bridge,
// in a map, with a queue for each, since there is no add that depends on what is there.

import { createBridge, requireHead } from "./bridge.mjs";
import { createQueues } from "./queues.mjs";

const corePackage = "@openai/agents-core";

export const memorySession = {
  name: "openai-memory",
  title: "OpenAI Agents MemorySession",
  packages: { [corePackage]: "0.20.0", zod: "4.1.12" },
  manifest: { concurrency: "instance", durability: "none", readIsolation: "snapshot" },
  storage: "memory",
  async open({ load }) {
    const { MemorySession } = await load(corePackage);
    return createBridge(logOf(MemorySession));
  },
};

function logOf(MemorySession) {
  const sessions = new Map();
  const inTurn = createQueues();
  const itemsOf = async (sessionId) => (await sessions.get(sessionId)?.session.getItems()) ?? [];
  const headOf = async (sessionId) => (await itemsOf(sessionId)).length;
  return {
    append: (sessionId, records, expectedHead, time) =>
      inTurn(sessionId, async () => {
        const head = requireHead(sessionId, await headOf(sessionId), expectedHead);
        if (records.length === 0) return head;
        const session = sessions.get(sessionId)?.session ?? new MemorySession({ sessionId });
        await session.addItems(
          records.map((record) => ({ type: "unknown", providerData: record })),
        );
        sessions.set(sessionId, { session, time });
        return headOf(sessionId);
      }),
    async read(sessionId) {
      const items = await itemsOf(sessionId);
      return items.map(({ providerData: { ts, event } }, index) => ({ seq: index + 1, ts, event }));
    },
    head: headOf,
    async list() {
      const entries = [...sessions].map(async ([id, { session, time }]) => ({
        id: await session.getSessionId(),
        head: await headOf(id),
        mtime: time,
      }));
      return Promise.all(entries);
    },
    delete: (sessionId) =>
      inTurn(sessionId, async () => {
        await sessions.get(sessionId)?.session.clearSession();
        sessions.delete(sessionId);
      }),
  };
}
