// Every adapter, plain and sealed, as the session layer's tests run over it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { memoryStore } from "../../adapters/memory/index.ts";
import { postgresCheckpointer } from "../../adapters/postgres/index.ts";
import {
  atEnd,
  hasNoServer,
  serverUrl,
  temporarySchema,
} from "../../adapters/postgres/testing/server.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import { aesGcm, compress, generateKey, keyRing, pipeline } from "../../codecs/index.ts";
import { createCheckpointer, type Checkpointer, type Codec } from "../../src/index.ts";
import { withoutClose } from "../six-methods.ts";

export { atEnd, cleanUp } from "../../adapters/postgres/testing/server.ts";

/** A way to keep sessions. */
export interface AgentStores {
  readonly name: string;
  /** A new store, removed at the end of the test. @returns what opens handles onto it */
  readonly create: () => () => Checkpointer;
}

/** An empty directory, removed at the end of the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "checkpointer-agent-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

type Open = (codec: { readonly codec?: Codec }) => Checkpointer;

const adapters: Readonly<Record<string, () => Open>> = {
  memory() {
    const store = withoutClose(memoryStore());
    return (codec) => createCheckpointer(store, codec);
  },
  file() {
    const dir = temporaryDirectory();
    return (codec) => fileCheckpointer({ dir, durability: "process", lockLingerMs: 5, ...codec });
  },
  sqlite() {
    const file = join(temporaryDirectory(), "store.db");
    return (codec) => sqliteCheckpointer({ file, ...codec });
  },
  ...(hasNoServer
    ? {}
    : {
        postgres() {
          const schema = temporarySchema();
          return (codec) => postgresCheckpointer({ connectionString: serverUrl, schema, ...codec });
        },
      }),
};

/** Each adapter once plain and once compressed and sealed. */
export const agentStores: readonly AgentStores[] = Object.entries(adapters).flatMap(
  ([name, create]) =>
    [false, true].map((isSealed) => ({
      name: isSealed ? `${name}, sealed` : name,
      create() {
        const open = create();
        const keys = keyRing({ primary: generateKey() });
        const codec = isSealed ? { codec: pipeline(compress(), aesGcm({ keys })) } : {};
        return () => {
          const handle = open(codec);
          atEnd(() => handle.close());
          return handle;
        };
      },
    })),
);
