// What child processes of the suite load to open the stores of these tests.

import { join } from "node:path";
import { fileStore } from "../../adapters/file/index.ts";
import { sqliteStore } from "../../adapters/sqlite/index.ts";
import { aesGcm, compress, keyRing, pipeline } from "../../codecs/index.ts";
import { pacedStore, type OpenedHandle, type Pace } from "../../conformance/index.ts";
import {
  createCheckpointer,
  type Codec,
  type EventObject,
  type RecordStore,
} from "../../src/index.ts";

/** Where a store is, and how it is sealed; survives JSON. */
export interface StorePlace {
  readonly adapter: "file" | "sqlite";
  readonly directory: string;
  readonly pipeline: "plain" | "sealed";
}

/** Opens the store of a fixture. */
export function open(argument: unknown): OpenedHandle {
  const place = argument as StorePlace;
  return createCheckpointer<EventObject>(storeAt(place), { codec: codecAt(place) });
}

/** The same, with a pace for its I/O. */
export function openPaced(place: StorePlace, pace: Pace): OpenedHandle {
  const store = pacedStore(storeAt(place), pace);
  return createCheckpointer<EventObject>(store, { codec: codecAt(place) });
}

function storeAt({ adapter, directory }: StorePlace): RecordStore {
  return adapter === "file"
    ? fileStore({ dir: directory, lockLingerMs: 5, onTornTail: () => undefined })
    : sqliteStore({
        file: join(directory, "sessions.db"),
        synchronous: "full",
        busyTimeoutMs: 500,
      });
}

function codecAt({ pipeline: name }: StorePlace): Codec | undefined {
  if (name === "plain") return undefined;
  const keys = keyRing({ primary: new Uint8Array(32).map((_, index) => index) });
  return pipeline(compress(), aesGcm({ keys }));
}
