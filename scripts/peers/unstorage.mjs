// unstorage with its fs driver, as an example of a key-value store under a session log. A session is a key, its value
// the whole log. Keys are normalised, so that "a/b" and "a:b" are one; the bridge writes ids in hexadecimal.

import { createBridge } from "./bridge.mjs";
import { snapshotLog } from "./snapshot-log.mjs";

export const fsStorage = {
  name: "unstorage-fs",
  title: "unstorage, fs driver",
  packages: { unstorage: "1.17.6" },
  manifest: { concurrency: "instance", durability: "process", readIsolation: "snapshot" },
  storage: "files",
  async open({ load, directory }) {
    const { createStorage } = await load("unstorage");
    const { default: fsDriver } = await load("unstorage/drivers/fs");
    const storage = createStorage({ driver: fsDriver({ base: directory }) });
    return createBridge(logOf(storage));
  },
};

function logOf(storage) {
  const keyOf = (sessionId) => Buffer.from(sessionId).toString("hex");
  return snapshotLog({
    async load(sessionId) {
      const value = await storage.getItem(keyOf(sessionId));
      if (value === null) return undefined;
      if (Array.isArray(value.records)) return value;
      throw new Error("the value of a session is not the object that was stored");
    },
    save: (sessionId, { records, time }) => storage.setItem(keyOf(sessionId), { records, time }),
    remove: (sessionId) => storage.removeItem(keyOf(sessionId)),
    async ids() {
      const keys = await storage.getKeys();
      // What else lies in the folder is none of ours.
      return keys
        .filter((key) => /^(?:[0-9a-f]{2})+$/.test(key))
        .map((key) => Buffer.from(key, "hex").toString());
    },
    close: () => storage.dispose(),
  });
}
