import { turn } from "../../conformance/session-state.ts";

/** Turns of the event loop after which nobody else will come: in memory every call answers within two. */
const patience = 6;

/**
 * Brings two contenders into a window at once, so that a race happens in every run and not in some:
 * the first one waits until there is a second one for the same key, or until nobody comes.
 */
export function createRendezvous(): (key: string) => Promise<void> {
  const waiting = new Map<string, () => void>();
  return async (key) => {
    const meet = waiting.get(key);
    if (meet !== undefined) {
      waiting.delete(key);
      meet();
      return;
    }
    await new Promise<void>((resolve) => {
      waiting.set(key, resolve);
      void pause().then(() => {
        if (waiting.get(key) === resolve) waiting.delete(key);
        resolve();
      });
    });
  };
}

/** Holds a window open for so long that whoever looks once a turn has to look into it. */
export async function pause(): Promise<void> {
  for (let left = patience; left > 0; left -= 1) await turn();
}
