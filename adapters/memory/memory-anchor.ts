import { toAnchorPoint, type Anchor, type AnchorPoint } from "../../src/index.ts";

/** An anchor in this object, for tests and for processes that outlive an untrusted store. */
export function memoryAnchor(): Anchor {
  const points = new Map<string, AnchorPoint>();
  return {
    async get(sessionId) {
      return points.get(sessionId) ?? null;
    },
    async set(sessionId, point, expected) {
      const current = points.get(sessionId) ?? null;
      const next = toAnchorPoint(point);
      if (JSON.stringify(current) !== JSON.stringify(toAnchorPoint(expected))) return false;
      if (next === null) points.delete(sessionId);
      else points.set(sessionId, next);
      return true;
    },
  };
}
