// Stores that take one session for another.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CreateFixture } from "../../../conformance/fixture.ts";
import type { RecordStore } from "../../../src/index.ts";
import { appending, overHandle, type HandleFault, type StoreFault } from "../faults.ts";

/** A store that maps every id. */
const renaming =
  (rename: (sessionId: string) => string): StoreFault =>
  () =>
  (good): RecordStore => ({
    ...good,
    head: (sessionId) => good.head(rename(sessionId)),
    commit: (sessionId, change) => good.commit(rename(sessionId), change),
    read: (sessionId, range) => good.read(rename(sessionId), range),
    delete: (sessionId) => good.delete(rename(sessionId)),
  });

export const sanitisesIds: StoreFault = renaming((id) => id.replaceAll(/[^\w-]/g, "_"));

export const ignoresCase: StoreFault = renaming((id) => id.toLowerCase());

export const normalisesIds: StoreFault = renaming((id) => id.normalize("NFC"));

export const cutsIds: StoreFault = renaming((id) => id.slice(0, 255));

export const echoesIdsInLowerCase: HandleFault = () => (good) => ({
  ...good,
  async *read(sessionId, options) {
    for await (const stored of good.read(sessionId, options)) {
      yield { ...stored, sessionId: stored.sessionId.toLowerCase() };
    }
  },
});

/** Writes a file beside its log, named for the session as it is. */
export const joinsPaths: CreateFixture = async () => {
  const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-"));
  // Deep enough that what escapes is removed with the root.
  const directory = join(root, "a", "b", "c", "store");
  mkdirSync(directory, { recursive: true });
  const fixture = await overHandle(
    () => (good) =>
      appending(good, async (sessionId, events, expected) => {
        const head = await good.append(sessionId, events, expected);
        writeIndex(directory, sessionId, head);
        return head;
      }),
  )();
  return {
    ...fixture,
    directory,
    storage: "engine",
    dispose: () => rmSync(root, { recursive: true }),
  };
};

function writeIndex(directory: string, sessionId: string, head: number): void {
  const path = join(directory, `${sessionId}.json`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, String(head));
  } catch {
    // An index is not worth failing an append for; that it lands elsewhere is the defect.
  }
}
