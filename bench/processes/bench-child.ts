// A process of its own that opens the store under test and does what it is told, one thing at a time.

import { accessSync } from "node:fs";
import process from "node:process";
import type { ProcessModule } from "../../conformance/fixture.ts";
import type { Handle } from "../../conformance/session-state.ts";
import type { EventObject } from "../../src/index.ts";
import { countPorts, type CountedPorts } from "./count-ports.ts";
import { batchAt } from "../session-work.ts";
import { markPrefix, type BenchAnswer, type BenchRequest } from "./messages.ts";

let handle: Handle | undefined;
let ports: CountedPorts | undefined;
let events: readonly EventObject[] = [];
let place = 0;
let reading: { stop: boolean; readonly ended: Promise<number> } | undefined;

function opened(): Handle {
  if (handle === undefined) throw new Error("the store was not opened");
  return handle;
}

async function answerTo(request: BenchRequest): Promise<unknown> {
  switch (request.do) {
    case "open": {
      ({ events } = request);
      // Before the store is loaded, so that it meets what counts.
      ports = await countPorts(request.module);
      const loaded = (await import(request.module)) as Partial<ProcessModule>;
      if (typeof loaded.open !== "function") throw new Error("the processModule exports no open()");
      handle = (await loaded.open(request.argument)) as Handle;
      return null;
    }
    case "append":
      return append(request);
    case "read": {
      const state = { stop: false };
      reading = Object.assign(state, { ended: readOn(request.sessionId, state) });
      return null;
    }
    case "stop": {
      if (reading === undefined) return 0;
      reading.stop = true;
      return reading.ended;
    }
    case "mark":
      try {
        accessSync(`${markPrefix}${request.name}`);
      } catch {
        // There is no such file; asking for it is the mark.
      }
      return null;
    case "count":
      return ports?.take() ?? null;
    case "close":
      await (handle as Partial<Handle> | undefined)?.close?.();
      return null;
  }
}

/** Milliseconds that so many appends took. */
async function append(request: Extract<BenchRequest, { do: "append" }>): Promise<number> {
  const store = opened();
  const begin = performance.now();
  for (let left = request.appends; left > 0; left -= 1) {
    const batch = batchAt(events, place, request.batch);
    place += request.batch;
    await store.append(request.sessionId, batch);
  }
  return performance.now() - begin;
}

/** How many times a session was read. */
async function readOn(sessionId: string, state: { readonly stop: boolean }): Promise<number> {
  let reads = 0;
  while (!state.stop) {
    for await (const _event of opened().read(sessionId)) if (state.stop) break;
    reads += 1;
    // Lets the message that ends this be heard.
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return reads;
}

function tell(answer: BenchAnswer): void {
  process.send?.(answer);
}

process.on("message", (request: BenchRequest) => {
  answerTo(request).then(
    (value) => tell({ value: value ?? null }),
    (error: unknown) => tell({ failure: error instanceof Error ? error.message : String(error) }),
  );
});
// Without a parent there is nobody to work for.
process.once("disconnect", () => process.exit());
tell({ ready: true });
