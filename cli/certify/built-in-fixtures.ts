import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateFixture, Fixture } from "../../conformance/fixture.ts";
import { fileReaches } from "./file-reaches.ts";
import type { FixtureSource, PipelineName } from "./fixture-source.ts";
import { codecOf, openPlace, openStore, type StorePlace } from "./open-place.ts";
import { postgresFixture } from "./postgres-fixture.ts";
import { sqliteReaches } from "./sqlite-reaches.ts";

/** Fixtures of a store of the kit, each with the defaults of its adapter and a place of its own. */
export function createBuiltInFixture(
  source: Extract<FixtureSource, { kind: "built-in" }>,
): CreateFixture {
  const { name, pipeline } = source;
  const title = pipeline === "plain" ? name : `${name}, ${pipeline}`;
  if (name === "memory") return () => memoryFixture(title, pipeline);
  if (name === "postgres")
    return async () => postgresFixture(title, pipeline, await keyOf(pipeline));
  return () => diskFixture(title, name, pipeline);
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

async function diskFixture(
  name: string,
  adapter: Exclude<StorePlace["adapter"], "postgres">,
  pipeline: PipelineName,
): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), `ckpt-${adapter}-`));
  const location = adapter === "file" ? directory : join(directory, "sessions.db");
  const place: StorePlace = { adapter, location, pipeline, key: await keyOf(pipeline) };
  return {
    name,
    directory,
    processModule: new URL("./process-module.js", import.meta.url).href,
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
