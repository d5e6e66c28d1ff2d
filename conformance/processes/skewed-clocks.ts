import type { Context } from "../context.ts";
import { walk } from "../list-helpers.ts";
import {
  id,
  infoOf,
  listedIds,
  numbered,
  numbersOf,
  readAll,
  sequence,
  type Handle,
} from "../session-state.ts";
import { withProcess } from "./use-processes.ts";

const hour = 60 * 60 * 1_000;

/** Milliseconds within which a stamp counts as being of a clock. */
const tolerance = 10 * 60 * 1_000;

/** Clients in three processes, whose clocks are an hour apart. */
interface Clients {
  readonly ahead: Handle;
  readonly exact: Handle;
  readonly behind: Handle;
}

/** Runs `work` with clients whose clocks are ahead, right and behind. */
async function withClients(
  { fixture }: Context,
  work: (clients: Clients) => Promise<void>,
): Promise<void> {
  const withClock = (clockAheadMs: number, next: (handle: Handle) => Promise<void>) =>
    withProcess(fixture, { clockAheadMs }, async (remote) => {
      await remote.open();
      await next(remote.handle);
    });
  await withClock(hour, (ahead) =>
    withClock(0, (exact) => withClock(-hour, (behind) => work({ ahead, exact, behind }))),
  );
}

/** Clients take turns, and then append at once: events stand in the order in which they were appended. */
export async function appendWithSkewedClocks(context: Context): Promise<void> {
  const { check, manifest } = context;
  await withClients(context, async ({ ahead, exact, behind }) => {
    const clients = [ahead, exact, behind, ahead, behind, exact];
    for (const [index, client] of [...clients, ...clients].entries()) {
      const expected = index % 2 === 0 ? index : undefined;
      check.same(await client.append(id, numbered(index + 1, index + 1), expected), index + 1);
    }
    for (const client of clients.slice(0, 3)) check.equal(await numbersOf(client), sequence(1, 12));
    const runs = clients.slice(0, 3).map(async (client, number) => {
      const own = numbered(100 * (number + 1), 100 * (number + 1) + 9);
      for (const event of own) await client.append("shared", [event]);
      return own.map(({ n }) => n);
    });
    const sent = await Promise.all(runs);
    const stored = await numbersOf(exact, "shared");
    check.same(stored.length, 30);
    for (const own of sent)
      check.equal(
        stored.filter((n) => own.includes(n)),
        own,
      );
    if (manifest.idempotency) {
      const options = { idempotencyKey: "key" };
      check.same(await ahead.append(id, numbered(13, 13), options), 13);
      check.same(await behind.append(id, numbered(13, 13), options), 13);
    }
    if (manifest.clock === "server") {
      const times = (await readAll(exact)).map(({ ts }) => ts);
      check.equal(times.toSorted(), times, "times of the server's clock");
    }
  });
}

/** Lists follow the clock that the manifest declares, and pages the list. */
export async function listWithSkewedClocks(context: Context): Promise<void> {
  const { check, manifest } = context;
  await withClients(context, async (clients) => {
    const { ahead, exact, behind } = clients;
    const isLocal = manifest.clock === "local";
    for (const [name, client] of Object.entries(clients)) {
      await (client as Handle).append(name, numbered(1, 1));
    }
    const later = ["behind", "exact", "ahead"];
    check.equal(await listedIds(exact), isLocal ? later.toReversed() : later);
    const offsets = isLocal ? { ahead: hour, exact: 0, behind: -hour } : null;
    for (const [name, offset] of Object.entries(offsets ?? {})) {
      const { mtime } = await infoOf(exact, name);
      check.atMost(Math.abs(mtime - Date.now() - offset), tolerance, `${name}, off its own clock`);
    }
    await exact.append("behind", numbered(2, 2));
    const order = isLocal ? ["ahead", "behind", "exact"] : ["behind", "exact", "ahead"];
    for (const client of [ahead, exact, behind]) {
      check.equal(await listedIds(client), order);
      if (!manifest.listPage) continue;
      const pages = await walk(check, client, { limit: 1 });
      check.equal(
        pages.map(({ id: listed }) => listed),
        order,
      );
    }
  });
}
