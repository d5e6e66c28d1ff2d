import type { KnownHead } from "./known-heads.ts";
import type { Statements } from "./statements.ts";
import type { WriteQueue } from "./write-queue.ts";

/**
 * A session row without a name: nobody sees it. Its id may be given out again once it is gone, so
 * the generation goes with it wherever it is changed.
 */
export type HiddenSession = Pick<KnownHead, "id" | "generation">;

/** Records that one transaction deletes; it must not keep other writers waiting. */
const purgeRecords = 1_000;

/**
 * Takes a session out of sight in the open transaction. A short one is deleted at once.
 *
 * @returns what is left to purge, or null
 */
export function detachSession(statements: Statements, session: KnownHead): HiddenSession | null {
  const { id, seq } = session;
  if (seq > purgeRecords) {
    statements.hideSession.run(id);
    return session;
  }
  statements.cutRecords.run(id, 0, id);
  statements.deleteSession.run(id);
  return null;
}

/**
 * Deletes a hidden session step by step, so that other writers get their turn in between.
 *
 * @param isClosing - stops it between two steps; a later opener goes on
 */
export async function purgeSession(
  writes: WriteQueue,
  { id, generation }: HiddenSession,
  isClosing: () => boolean = () => false,
): Promise<void> {
  for (let isLeft = true; isLeft && !isClosing();) {
    isLeft = await writes.write({
      run({ statements }) {
        const { changes } = statements.purgeRecords.run(id, generation, purgeRecords);
        if (changes === purgeRecords) return true;
        statements.purgeSession.run(id, generation);
        return false;
      },
    });
  }
}

/**
 * Purges what crashed rewrites and deletes have left behind.
 *
 * @param staleMs - how long the owner of staged records must have been silent; see `rewriteLog`
 */
export async function purgeStale(
  writes: WriteQueue,
  statements: Statements,
  staleMs: number,
  isClosing: () => boolean,
): Promise<void> {
  const before = (Date.now() - staleMs) * 1_000;
  for (const [id, generation] of statements.staleHidden.all(before)) {
    await purgeSession(writes, { id, generation }, isClosing);
  }
}
