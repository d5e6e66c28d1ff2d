/**
 * Sessions in memory, for tests and short-lived agents.
 *
 * @module
 */
export { memoryCheckpointer } from "./memory-checkpointer.ts";
export { memoryStore } from "./memory-store.ts";
