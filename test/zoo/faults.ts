import type { CreateFixture } from "../../conformance/fixture.ts";
import type { Handle } from "../../conformance/session-state.ts";
import { memoryStore } from "../../adapters/memory/index.ts";
import { createCheckpointer, type EventObject, type RecordStore } from "../../src/index.ts";
import { sixMethods, withoutClose } from "../six-methods.ts";

/** Breaks a good store. Called once a store, for what its handles share; the result once a handle. */
export type StoreFault = () => (good: RecordStore) => RecordStore;

/** Breaks a good checkpointer, as someone might who writes one without the engine. */
export type HandleFault = () => (good: Handle) => Handle;

/** What a batch and an event may measure, so that a batch of the largest size costs little. */
const limits = { maxEventBytes: 2_097_152, maxBatchEvents: 5_000, maxSessionIdBytes: 512 };

/** An empty store of the six methods that outlives its handles. */
export function goodStore(): RecordStore {
  const store = withoutClose(sixMethods(memoryStore()));
  return { ...store, capabilities: { ...store.capabilities, limits } };
}

/** Handles of the engine over one store with a fault. */
export function overStore(fault: StoreFault): CreateFixture {
  return () => {
    const good = goodStore();
    const spoil = fault();
    return openedBy(() => createCheckpointer<EventObject>(spoil(good)));
  };
}

/** Checkpointers with a fault, over one good store. */
export function overHandle(fault: HandleFault): CreateFixture {
  return () => {
    const good = goodStore();
    const spoil = fault();
    return openedBy(() => spoil(createCheckpointer<EventObject>(good)));
  };
}

function openedBy(open: () => Handle): ReturnType<CreateFixture> {
  return { name: "broken", open, dispose: () => undefined };
}

/** A store with another `commit`. */
export function committing(good: RecordStore, commit: RecordStore["commit"]): RecordStore {
  return { ...good, commit };
}

/** A checkpointer with another `append`. */
export function appending(good: Handle, append: Handle["append"]): Handle {
  return { ...good, append };
}
