import { callOutcome } from "../call-outcome.ts";
import { withPrepared, type Change } from "../changes.ts";
import type { Context, OwnedContext } from "../context.ts";
import type { OpenedHandle } from "../fixture.ts";
import { numbered, type Handle } from "../session-state.ts";
import { contentOf, contentText, type StoreContent } from "../store-content.ts";
import { withRelay, type Cut, type Relay } from "./relay.ts";

/** A change with the states between which it leads. */
interface Frame {
  readonly change: Change;
  readonly before: StoreContent;
  readonly after: StoreContent;
  /** Pieces that it sends to the server. */
  readonly pieces: number;
}

/**
 * Breaks the connection at each piece that a change sends, each time in a store of its own. The change
 * is done, not done or of unknown outcome, as it says; the handle works on; and what has a key is
 * stored once when it is repeated.
 */
export async function cutConnections(context: Context, change: Change, where: Cut): Promise<void> {
  const { check } = context;
  const frame = await throughRelay(context, async ({ handle, relay }) => {
    const before = await contentOf(handle);
    relay.arm(where, 0);
    await change.run(handle);
    const { pieces } = relay.disarm();
    return { change, before, after: await contentOf(handle), pieces };
  });
  let cuts = 0;
  for (let at = 1; at <= frame.pieces; at += 1)
    if (await cutAt(context, frame, where, at)) cuts += 1;
  context.note(`${change.name}: ${cuts} connections cut ${where}`);
  check.ok(cuts > 0, `${change.name} sends something to the server`);
}

interface Scene {
  /** Through the relay. */
  readonly handle: Handle;
  readonly relay: Relay;
  readonly store: OwnedContext;
}

function throughRelay<T>(context: Context, work: (scene: Scene) => Promise<T>): Promise<T> {
  return withPrepared(context, (store) =>
    withServer(store, async (relay, open) => {
      const handle = await open();
      // What a first look costs is behind it.
      await contentOf(handle);
      try {
        return await work({ handle, relay, store });
      } finally {
        await handle.close();
      }
    }),
  );
}

/** Runs `work` with a relay in front of a store's server, and a way to open handles through it. */
export async function withServer<T>(
  { fixture }: Context,
  work: (relay: Relay, open: () => Promise<Handle>) => Promise<T>,
): Promise<T> {
  const { server } = fixture;
  if (server === undefined) throw new Error("the fixture names no server");
  return withRelay(server, (relay) => {
    const open = async (): Promise<OpenedHandle> => server.open(relay.port);
    return work(relay, open as () => Promise<Handle>);
  });
}

/** Whether a connection was cut. */
function cutAt(
  context: Context,
  { change, before, after }: Frame,
  cut: Cut,
  at: number,
): Promise<boolean> {
  const where = `${change.name}, piece ${at} cut ${cut}`;
  return throughRelay(context, async ({ handle, relay, store: { open, check } }) => {
    relay.arm(cut, at);
    const verdict = await callOutcome(change.run(handle), ["IO_FAILED", "BUSY"]);
    const { fired } = relay.disarm();
    const direct = await open();
    const found = await contentOf(direct);
    const isNew = contentText(found) === contentText(after);
    const wanted = { done: after, "not done": before, unknown: isNew ? after : before };
    check.equal(found, wanted[verdict], `${where}, said to be ${verdict}`);
    if (change.requires?.includes("idempotency") === true) {
      await check.succeeds(change.run(handle), `${where}: repeated with its key`);
      check.equal(await contentOf(direct), after, `${where}: repeated with its key`);
    }
    const { length } = (await contentOf(direct))[change.sessionId] ?? [];
    const head = await handle.append(change.sessionId, numbered(99, 99));
    check.same(head, (length ?? 0) + 1, `${where}: the next append`);
    return fired;
  });
}
