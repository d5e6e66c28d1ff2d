import type { Anchor, AnchorPoint } from "../../src/index.ts";

/** An anchor in this object, for tests and for processes that outlive an untrusted store. */
export function memoryAnchor(): Anchor {
  const points = new Map<string, AnchorPoint>();
  return {
    async get(sessionId) {
      return points.get(sessionId) ?? null;
    },
    async set(sessionId, point, expected) {
      const current = points.get(sessionId) ?? null;
      if (JSON.stringify(current) !== JSON.stringify(expected)) return false;
      if (point === null) points.delete(sessionId);
      else points.set(sessionId, { ...point });
      return true;
    },
  };
}
