import {
  CheckpointConflictError,
  type EventObject,
  type MinimalCheckpointer,
} from "../../../src/index.ts";

/** A handle that looks at the head, waits, and then appends whatever has happened meanwhile. */
export function checkThenWrite<E extends EventObject>(
  store: MinimalCheckpointer<E>,
): MinimalCheckpointer<E> {
  return {
    ...bound(store),
    async append(sessionId, events, expectedHead) {
      await refuseUnless(expectedHead, sessionId, await store.head(sessionId));
      return store.append(sessionId, events);
    },
  };
}

/** A handle that remembers the head it has seen, and does not hear of what others append. */
export function cachedHead<E extends EventObject>(
  store: MinimalCheckpointer<E>,
): MinimalCheckpointer<E> {
  const heads = new Map<string, number>();
  const headOf = async (sessionId: string): Promise<number> => {
    const head = heads.get(sessionId) ?? (await store.head(sessionId));
    heads.set(sessionId, head);
    return head;
  };
  return {
    ...bound(store),
    head: headOf,
    async append(sessionId, events, expectedHead) {
      await refuseUnless(expectedHead, sessionId, await headOf(sessionId));
      const head = await store.append(sessionId, events);
      heads.set(sessionId, head);
      return head;
    },
  };
}

/** A handle whose truncate says that it is done before it is. */
export function lateTruncate<E extends EventObject>(
  store: MinimalCheckpointer<E>,
  later: (work: () => Promise<void>) => void,
): MinimalCheckpointer<E> {
  return {
    ...bound(store),
    truncate(sessionId, toSeq) {
      later(async () => store.truncate?.(sessionId, toSeq));
      return Promise.resolve();
    },
  };
}

/** The same store, method by method, so that one of them can be replaced. */
function bound<E extends EventObject>(store: MinimalCheckpointer<E>): MinimalCheckpointer<E> {
  return {
    append: (sessionId, events, expectedHead) => store.append(sessionId, events, expectedHead),
    read: (sessionId, options) => store.read(sessionId, options),
    head: (sessionId) => store.head(sessionId),
    list: () => store.list(),
    delete: (sessionId) => store.delete(sessionId),
    truncate: async (sessionId, toSeq) => store.truncate?.(sessionId, toSeq),
  };
}

async function refuseUnless(
  expected: number | undefined,
  sessionId: string,
  actual: number,
): Promise<void> {
  if (expected !== undefined && expected !== actual) {
    throw new CheckpointConflictError(sessionId, expected, actual);
  }
  // Others get their turn between the look and the append.
  await Promise.resolve();
}
