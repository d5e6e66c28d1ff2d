// Vitest's global setup, after the build: one PostgreSQL server for all tests, each of which makes a schema of its own
// there. PG_TEST_URL names another server to use instead. Where there is none, the tests that want one are skipped.

import process from "node:process";

export async function setup() {
  if (process.env.PG_TEST_URL) return undefined;
  const { startServer } = await import("../dist/cli/postgres-server/start-server.js");
  try {
    const server = await startServer();
    // The workers that run the tests are forked from this process.
    process.env.PG_TEST_URL = server.url;
    return async () => {
      delete process.env.PG_TEST_URL;
      await server.stop();
    };
  } catch (error) {
    console.log(`Tests of the Postgres adapter are skipped: ${error.message}`);
    return undefined;
  }
}
