/**
 * Sessions in memory, for tests and short-lived agents.
 *
 * @module
 */
export { memoryAnchor } from "./memory-anchor.ts";
export { memoryCheckpointer } from "./memory-checkpointer.ts";
export { memoryStore } from "./memory-store.ts";
