import type { Pace } from "../../conformance/fixture.ts";
import { pacedStore } from "../../conformance/paced-store.ts";
import {
  createCheckpointer,
  type Checkpointer,
  type Codec,
  type EventObject,
  type RecordStore,
} from "../../src/index.ts";
import type { BuiltInName, PipelineName } from "./fixture-source.ts";

/** Where a store of the kit is and how its records are kept; survives JSON. */
export interface StorePlace {
  readonly adapter: Exclude<BuiltInName, "memory">;
  /** The directory of a file store, the file of a database, the connection string of a server. */
  readonly location: string;
  /** Where on a server. */
  readonly schema?: string | undefined;
  readonly pipeline: PipelineName;
  /** Default: the adapter's. */
  readonly durability?: "power" | "process" | undefined;
  /** Whether locks and waits are as short as the suite likes them. Default: as the adapter has them. */
  readonly hasty?: boolean | undefined;
  /** A throw-away key in base64, for a sealed store. */
  readonly key?: string | undefined;
}

/** A new handle onto the store at a place; `pace` holds its steps. */
export async function openPlace(
  place: StorePlace,
  pace?: Pace,
): Promise<Checkpointer<EventObject>> {
  const codec = await codecOf(place);
  return openStore(await storeAt(place, codec), codec, pace);
}

/** A handle onto a store of records. */
export function openStore(
  store: RecordStore,
  codec: Codec | undefined,
  pace?: Pace,
): Checkpointer<EventObject> {
  return createCheckpointer(pace === undefined ? store : pacedStore(store, pace), { codec });
}

const synchronousOf = { power: "full", process: "normal" } as const;

/**
 * Shorter than the defaults, since the suite waits for each of them, many times. A writer that waits
 * for a dead one's lock has to outlast it.
 */
const fileTimes = { lockLingerMs: 5, lockStaleMs: 2_000, busyTimeoutMs: 4_000 };
const databaseTimes = { busyTimeoutMs: 1_000 };

async function storeAt(
  { adapter, location, schema, durability, hasty = false }: StorePlace,
  codec: Codec | undefined,
): Promise<RecordStore> {
  if (adapter === "postgres") {
    const { postgresStore } = await import("../../adapters/postgres/index.ts");
    const place = { connectionString: location, schema, maxConnections: 4 };
    return postgresStore({ ...place, ...(hasty && databaseTimes) });
  }
  if (adapter === "sqlite") {
    const { sqliteStore } = await import("../../adapters/sqlite/index.ts");
    const synchronous = durability === undefined ? undefined : synchronousOf[durability];
    return sqliteStore({ file: location, synchronous, ...(hasty && databaseTimes) });
  }
  const { fileStore } = await import("../../adapters/file/index.ts");
  // What a killed writer leaves is expected here, and no news.
  const onTornTail = (): void => undefined;
  const times = hasty && fileTimes;
  return fileStore({ dir: location, pipeline: codec?.id, durability, onTornTail, ...times });
}

/** The codec of a pipeline; undefined for plain records. */
export async function codecOf({
  pipeline,
  key,
}: Pick<StorePlace, "pipeline" | "key">): Promise<Codec | undefined> {
  if (pipeline === "plain") return undefined;
  const codecs = await import("../../codecs/index.ts");
  if (pipeline === "compressed") return codecs.compress();
  if (key === undefined) throw new TypeError("A sealed store needs a key");
  const keys = codecs.keyRing({ primary: key });
  return codecs.pipeline(codecs.compress(), codecs.aesGcm({ keys }));
}
