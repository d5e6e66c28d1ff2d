import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateFixture, Fixture } from "../../conformance/fixture.ts";
import { fileReaches } from "./file-reaches.ts";
import type { FixtureSource, PipelineName } from "./fixture-source.ts";
import { codecOf, openPlace, openStore, type StorePlace } from "./open-place.ts";
import { postgresFixture } from "./postgres-fixture.ts";
import { processModule } from "./process-module-url.ts";
import { sqliteReaches } from "./sqlite-reaches.ts";

/** Where and how {@link createBuiltInFixture} makes stores. */
export interface BuiltInOptions extends Pick<StorePlace, "durability" | "hasty"> {
  /** What the path of each store's folder begins with. Default: in the system's temporary folder. */
  readonly prefix?: string | undefined;
  /** Connection string of the server of a Postgres store. Default: see {@link postgresFixture}. */
  readonly server?: string | undefined;
}

/** Fixtures of a store of the kit, each with a place of its own. */
export function createBuiltInFixture(
  { name, pipeline }: Extract<FixtureSource, { kind: "built-in" }>,
  options: BuiltInOptions,
): CreateFixture {
  const title = pipeline === "plain" ? name : `${name}, ${pipeline}`;
  if (name === "memory") return () => memoryFixture(title, pipeline);
  if (name === "postgres") {
    const { hasty, server } = options;
    return async () =>
      postgresFixture(title, { pipeline, hasty, key: await keyOf(pipeline) }, server);
  }
  return () => diskFixture(title, { adapter: name, pipeline }, options);
}

async function memoryFixture(name: string, pipeline: PipelineName): Promise<Fixture> {
  const { memoryStore } = await import("../../adapters/memory/index.ts");
  const codec = await codecOf({ pipeline, key: await keyOf(pipeline) });
  const store = memoryStore();
  const handle = openStore(store, codec);
  return {
    name,
    storage: "memory",
    open: () => handle,
    openPaced: (pace) => openStore(store, codec, pace),
    dispose: () => handle.close(),
  };
}

interface DiskPlace {
  readonly adapter: Exclude<StorePlace["adapter"], "postgres">;
  readonly pipeline: PipelineName;
}

async function diskFixture(
  name: string,
  { adapter, pipeline }: DiskPlace,
  { prefix = join(tmpdir(), `ckpt-${adapter}-`), ...behaviour }: BuiltInOptions,
): Promise<Fixture> {
  const directory = await mkdtemp(prefix);
  const location = adapter === "file" ? directory : join(directory, "sessions.db");
  const place = { adapter, location, pipeline, key: await keyOf(pipeline), ...behaviour };
  return {
    name,
    directory,
    processModule,
    processArgument: place,
    open: () => openPlace(place),
    openPaced: (pace) => openPlace(place, pace),
    dispose: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
    ...(adapter === "file" ? fileReaches(directory) : sqliteReaches(location)),
  };
}

async function keyOf(pipeline: PipelineName): Promise<string | undefined> {
  if (pipeline !== "sealed") return undefined;
  const { generateKey } = await import("../../codecs/index.ts");
  return generateKey();
}
