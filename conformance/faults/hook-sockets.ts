import { Socket } from "node:net";
import type { FileHooks } from "./hook-file-system.ts";

type Send = (this: Socket, ...args: unknown[]) => unknown;

/**
 * Puts hooks around whatever a socket of this process hands to the system, as the call `send`. What is
 * written in one tick may go in one call; what native code sends is not seen.
 *
 * @see https://nodejs.org/api/stream.html#implementing-a-writable-stream
 */
export function hookSockets(hooks: FileHooks): void {
  const prototype = Socket.prototype as unknown as Record<"_write" | "_writev", Send>;
  for (const method of ["_write", "_writev"] as const) {
    const plain = prototype[method];
    prototype[method] = function (...args) {
      const call = { name: "send", args: [] };
      hooks.before?.(call);
      const result = plain.apply(this, args);
      hooks.after?.(call, result);
      return result;
    };
  }
}
