import {
  createCheckpointer,
  type Checkpointer,
  type CheckpointerOptions,
  type EventObject,
  type SessionEvent,
} from "../../src/index.ts";
import { memoryStore } from "./memory-store.ts";

/**
 * A checkpointer that keeps everything in this object and loses it with the process. Every call
 * makes a new, empty one.
 *
 * @example
 * ```ts
 * const checkpointer = memoryCheckpointer();
 * await checkpointer.append("session", [{ type: "user", content: "hello" }]);
 * ```
 */
export function memoryCheckpointer<E extends EventObject = SessionEvent>(
  options: CheckpointerOptions = {},
): Checkpointer<E> {
  return createCheckpointer<E>(memoryStore(), options);
}
