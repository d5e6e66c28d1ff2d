import { randomUUID } from "node:crypto";
import process from "node:process";
import type { Fixture } from "../../conformance/fixture.ts";
import { startServer } from "../postgres-server/start-server.ts";
import { openPlace, type StorePlace } from "./open-place.ts";
import { processModule } from "./process-module-url.ts";
import { dropSchema, postgresReaches } from "./postgres-reaches.ts";

let starting: Promise<string> | undefined;

/**
 * A schema of its own on the server that PG_TEST_URL names, or on one that this process starts and
 * that ends with it.
 *
 * @param server - connection string of another one
 * @throws Error in one line when there is no server to be had
 */
export async function postgresFixture(
  name: string,
  behaviour: Pick<StorePlace, "pipeline" | "key" | "hasty">,
  server: string | undefined = process.env["PG_TEST_URL"],
): Promise<Fixture> {
  const location = server ?? (await (starting ??= startOwn()));
  const schema = `ckpt_test_${randomUUID().replaceAll("-", "")}`;
  const place: StorePlace = { adapter: "postgres", location, schema, ...behaviour };
  return {
    name,
    processModule,
    processArgument: place,
    open: () => openPlace(place),
    openPaced: (pace) => openPlace(place, pace),
    dispose: () => dropSchema(location, schema),
    server: {
      host: new URL(location).hostname,
      port: Number(new URL(location).port || 5432),
      open: (port) => openPlace({ ...place, location: atPort(location, port) }),
      connectionString: location,
    },
    ...postgresReaches(location, schema),
  };
}

async function startOwn(): Promise<string> {
  try {
    return (await startServer()).url;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`there is no PostgreSQL server: set PG_TEST_URL, since ${reason}`, {
      cause: error,
    });
  }
}

function atPort(location: string, port: number): string {
  const url = new URL(location);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
}
