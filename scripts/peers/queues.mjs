/** Makes a function that runs the changes of each session one after the other, in the order of the calls. */
export function createQueues() {
  const last = new Map();
  return async function inTurn(sessionId, work) {
    const before = last.get(sessionId) ?? Promise.resolve();
    const own = before.then(work, work);
    last.set(sessionId, own);
    try {
      return await own;
    } finally {
      if (last.get(sessionId) === own) last.delete(sessionId);
    }
  };
}
