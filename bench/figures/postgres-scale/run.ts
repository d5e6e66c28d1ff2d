// How a Postgres server bears many sessions and events; see docs/operating-postgres.md. Fills a server of its own in
// steps, asks the adapter at each what an operation costs there, and prints Markdown tables.
//
// Usage: npm run figures:postgres [-- --sessions 1000,10000,100000,500000]

import { parseArgs } from "node:util";
import { measureHotUpdates } from "./hot-updates.ts";
import { measureSize } from "./measure-size.ts";
import { startScaleServer } from "./scale-server.ts";

const { values } = parseArgs({
  options: { sessions: { type: "string", default: "1000,10000,100000,1000000" } },
});
const sizes = values.sessions.split(",").map(Number);
if (!sizes.every((size, index) => Number.isInteger(size) && size > (sizes[index - 1] ?? 0))) {
  throw new RangeError("--sessions: wanted whole numbers that rise");
}

const server = await startScaleServer();
try {
  await measureSize(server.url, sizes);
  await measureHotUpdates(server.url);
} finally {
  await server.stop();
}
