import process from "node:process";
import { messageOf } from "./outcome.ts";

/** Who is told what happens. */
export interface Subscribers<T> {
  /** Tells all of them, in the order they came; one that throws is a process warning and stops nobody. */
  readonly publish: (event: T) => void;
  /** @returns a function that ends the subscription */
  readonly subscribe: (listener: (event: T) => void) => () => void;
}

/** Nobody yet. */
export function subscribers<T>(): Subscribers<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    publish(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          process.emitWarning(`A subscriber of an agent threw: ${messageOf(error)}`);
        }
      }
    },
    subscribe(listener) {
      // One function subscribed twice is two subscriptions.
      const own = (event: T): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
