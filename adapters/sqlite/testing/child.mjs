// A process of its own for many-processes.test.ts. Its first argument is the compiled entry.
const { sqliteStore } = await import(process.argv[2]);

const tasks = {
  /** Opens a database that others open at the same moment, and writes to it. */
  async append({ file, id, count }) {
    const store = sqliteStore({ file, busyTimeoutMs: 30_000 });
    for (let index = 0; index < count; index += 1) {
      const batches = [{ records: [{ ts: new Date().toISOString(), payload: "{}" }] }];
      await store.commit("shared", { base: null, batches, mtime: Date.now() });
      await store.commit(`own-${id}`, { base: { seq: index }, batches, mtime: Date.now() });
    }
    await store.close();
  },

  /** Leaves a handle open, with every timer that it can have, and lets the process end. */
  async leaveOpen({ file }) {
    const store = sqliteStore({ file });
    const payload = JSON.stringify({ text: "x".repeat(2 * 1024 * 1024) });
    const batches = [{ records: [{ ts: new Date().toISOString(), payload }] }];
    await store.commit("a", { base: null, batches, mtime: Date.now() });
    void store.watch("a", new AbortController().signal)[Symbol.asyncIterator]().next();
  },
};

async function run({ task, ...options }) {
  try {
    await tasks[task](options);
    process.send({ done: true });
  } catch (error) {
    process.send({ failed: `${error.code}: ${error.message}` });
  }
  // The channel to the parent would keep this process alive by itself.
  if (task === "leaveOpen") process.disconnect();
}

process.on("message", (message) => void run(message));
process.send({ ready: true });
