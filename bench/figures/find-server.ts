import process from "node:process";
import { startServer } from "../../cli/postgres-server/start-server.ts";

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The server that PG_TEST_URL names, or one that goes afterwards. */
export async function findServer(): Promise<Server | { readonly skipped: string }> {
  const url = process.env["PG_TEST_URL"];
  if (url !== undefined && url !== "") return { url, stop: async () => undefined };
  try {
    const server = await startServer();
    return { url: server.url, stop: () => server.stop() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { skipped: `set PG_TEST_URL, since ${reason}` };
  }
}
