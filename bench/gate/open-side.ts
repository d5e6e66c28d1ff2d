import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requireFixture, type Fixture, type OpenedHandle } from "../../conformance/fixture.ts";
import type { AdapterName, SideSource } from "./messages.ts";

/**
 * A new, empty store of a side, made by that side's code alone.
 *
 * @throws Error in one line when the code cannot be loaded, or is not what it is taken for
 */
export async function openSide(source: SideSource, folder: string): Promise<Fixture> {
  if (source.kind === "fixture") return openFixture(source.url);
  const { root, adapter } = source;
  const create = await loadAdapter(root, adapter);
  const open = openerOf(create, adapter, folder);
  return { name: adapter, open, dispose: () => undefined };
}

type CreateCheckpointer = (options: object) => OpenedHandle;

async function openFixture(url: string): Promise<Fixture> {
  const { createFixture, default: byDefault } = await load(url);
  const create = createFixture ?? byDefault;
  if (typeof create !== "function") {
    throw new TypeError("the module exports no function createFixture, and no function by default");
  }
  return requireFixture(await (create as () => unknown)());
}

async function loadAdapter(root: string, adapter: AdapterName): Promise<CreateCheckpointer> {
  const manifest = join(root, "package.json");
  const { name } = JSON.parse(await readFile(manifest, "utf8")) as { name: string };
  // By the package's own exports, as whoever installed it would import it.
  const path = createRequire(manifest).resolve(`${name}/adapters/${adapter}`);
  const create = (await load(pathToFileURL(path).href))[`${adapter}Checkpointer`];
  if (typeof create !== "function") {
    throw new TypeError(`${name}/adapters/${adapter} exports no ${adapter}Checkpointer`);
  }
  return create as CreateCheckpointer;
}

function openerOf(
  create: CreateCheckpointer,
  adapter: AdapterName,
  folder: string,
): () => OpenedHandle {
  switch (adapter) {
    case "memory": {
      // There is one object, and every writer has it.
      const handle = create({});
      return () => handle;
    }
    case "file":
      return () => create({ dir: folder });
    case "sqlite":
      return () => create({ file: join(folder, "sessions.db") });
  }
}

async function load(url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`the module cannot be loaded: ${String(error)}`, { cause: error });
  }
}
