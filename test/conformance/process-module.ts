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
  const codec = codecOf(place);
  return createCheckpointer<EventObject>(storeAt(place, codec), { codec });
}

/** The same, with a pace for its I/O. */
export function openPaced(place: StorePlace, pace: Pace): OpenedHandle {
  const codec = codecOf(place);
  return createCheckpointer<EventObject>(pacedStore(storeAt(place, codec), pace), { codec });
}

/** The database of a SQLite store. */
export function databaseIn(directory: string): string {
  return join(directory, "sessions.db");
}

/** The suite waits for each of these, many times; a writer has to outlast a dead one's lock. */
const fileTimes = { lockLingerMs: 5, lockStaleMs: 2_000, busyTimeoutMs: 4_000 };

function storeAt({ adapter, directory }: StorePlace, codec: Codec | undefined): RecordStore {
  if (adapter === "sqlite") {
    return sqliteStore({ file: databaseIn(directory), synchronous: "full", busyTimeoutMs: 500 });
  }
  const onTornTail = (): void => undefined;
  return fileStore({ dir: directory, pipeline: codec?.id, onTornTail, ...fileTimes });
}

function codecOf({ pipeline: name }: StorePlace): Codec | undefined {
  if (name === "plain") return undefined;
  const keys = keyRing({ primary: new Uint8Array(32).map((_, index) => index) });
  return pipeline(compress(), aesGcm({ keys }));
}
