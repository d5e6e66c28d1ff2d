import type { EventObject, StoredEvent } from "../../src/index.ts";
import { callOutcome } from "../call-outcome.ts";
import { changes } from "../changes.ts";
import type { Context } from "../context.ts";
import { cutConnections, withServer } from "../faults/cut-connections.ts";
import type { Cut } from "../faults/relay.ts";
import { appendWithSkewedClocks, listWithSkewedClocks } from "../processes/skewed-clocks.ts";
import type { Case, Properties } from "../property.ts";
import { id, numberOf, numbersOf, numbered, sequence } from "../session-state.ts";

const cutAt = (where: Cut): readonly Case[] =>
  changes.map((change) => ({
    name: `${change.name} whose connection is cut ${where}`,
    requires: change.requires ?? [],
    run: (context) => cutConnections(context, change, where),
  }));

/** A follower that looks again and again sends pieces for ever. */
const mostCuts = 12;

/** Lets clients append pairs while every connection breaks after each few of them. */
async function breakUnderLoad(context: Context): Promise<void> {
  const { check, open, note } = context;
  await withServer(context, async (relay, openThrough) => {
    const clients = 4;
    const rounds = 20;
    const handles = await Promise.all(sequence(1, clients).map(openThrough));
    const said = new Map<number, string>();
    let breaks = 0;
    const client = async (number: number): Promise<void> => {
      for (const round of sequence(1, rounds)) {
        const n = 1_000 * number + 2 * round;
        const appending = handles[number - 1]!.append(id, [{ n }, { n: n + 1 }]);
        said.set(n, await callOutcome(appending, ["IO_FAILED", "BUSY"]));
        if (said.size % 3 !== 0) continue;
        // The other clients are in the middle of theirs.
        relay.breakAll();
        breaks += 1;
      }
    };
    await Promise.all(sequence(1, clients).map(client));
    note(`connections broken ${breaks} times under ${clients * rounds} appends`);
    const stored = await numbersOf(await open());
    for (const [n, verdict] of said) {
      const at = stored.indexOf(n);
      const times = stored.filter((one) => one === n).length;
      if (verdict === "done") check.same(times, 1, `times that ${n}, which is done, is stored`);
      else if (verdict === "not done") check.same(times, 0, `times that ${n} is stored`);
      else check.atMost(times, 1, `times that ${n} is stored`);
      if (at >= 0) check.same(stored[at + 1], n + 1, `behind ${n}, in one append with it`);
    }
    for (const handle of handles) {
      await check.succeeds(handle.append("after", numbered(1, 1)), "the connections hold again");
      await handle.close();
    }
  });
}

/** Follows through a relay that breaks while the follower waits, and stays away for a moment. */
async function followAcrossBreaks(context: Context): Promise<void> {
  const { check, open } = context;
  await withServer(context, async (relay, openThrough) => {
    const writer = await open();
    const follower = await openThrough();
    await writer.append(id, numbered(1, 3));
    const stop = new AbortController();
    const seen: number[] = [];
    const events = follower.tail(id, { signal: stop.signal })[Symbol.asyncIterator]();
    const take = async (count: number): Promise<void> => {
      while (seen.length < count) {
        const { value, done } = await events.next();
        if (done === true) return;
        seen.push(numberOf(value));
      }
    };
    await take(3);
    for (const round of sequence(1, 5)) {
      const next = take(3 + 2 * round);
      relay.refuse(true);
      relay.breakAll();
      await writer.append(id, numbered(2 + 2 * round, 2 + 2 * round));
      relay.refuse(false);
      await writer.append(id, numbered(3 + 2 * round, 3 + 2 * round));
      await next;
    }
    check.equal(seen, sequence(1, 13));
    stop.abort();
    await events.return?.();
    await follower.close();
  });
}

/**
 * Cuts the connection at each piece that a new follower sends, from its first look to the wait for what
 * comes: a change in that moment is in neither of the two unless somebody looks again.
 */
async function followAcrossStarts(context: Context, where: Cut): Promise<void> {
  const { check, open, note } = context;
  await withServer(context, async (relay, openThrough) => {
    const writer = await open();
    let cuts = 0;
    for (let fired = true; fired && cuts < mostCuts;) {
      const sessionId = `cut ${cuts + 1}`;
      await writer.append(sessionId, numbered(1, 3));
      const follower = await openThrough();
      relay.arm(where, cuts + 1);
      const events = follower.tail(sessionId)[Symbol.asyncIterator]();
      const seen: unknown[] = [nextNumber(events)];
      await writer.append(sessionId, numbered(4, 4));
      seen.push(await seen.pop());
      while (seen.length < 3) seen.push(await nextNumber(events));
      await writer.append(sessionId, numbered(5, 5));
      while (seen.length < 5) seen.push(await nextNumber(events));
      ({ fired } = relay.disarm());
      if (fired) cuts += 1;
      check.equal(seen, sequence(1, 5), `followed across cut ${cuts}`);
      await events.return?.();
      await follower.close();
    }
    note(`${cuts} connections of new followers cut ${where}`);
    check.ok(cuts > 0, "a new follower sends something to the server");
  });
}

async function nextNumber(
  events: AsyncIterator<StoredEvent<EventObject>>,
): Promise<number | undefined> {
  const { value, done } = await events.next();
  return done === true ? undefined : numberOf(value);
}

/** Stores that are reached over a network, whose connections break. */
export const networkProperties: Properties = [
  {
    id: "P73",
    group: "network",
    level: "L4",
    requires: ["server"],
    statement:
      "A change that never reached the server is done or not done, as it says, and the handle works on",
    reason:
      "An agent that takes an append for made, which nobody has, goes on from a turn that is lost",
    cases: cutAt("before the server has it"),
  },
  {
    id: "P74",
    group: "network",
    level: "L4",
    requires: ["server"],
    statement:
      "A change whose answer is lost is done once, or says that its outcome is unknown; repeated with its key it is stored once",
    reason: "A retry after a lost answer is the commonest way to say everything twice",
    reports: ["kurrent-io/KurrentDB#1898", "kurrent-io/KurrentDB-Client-Dotnet#159"],
    cases: cutAt("before the answer arrives"),
  },
  {
    id: "P75",
    group: "network",
    level: "L4",
    requires: ["server"],
    statement:
      "Connections that break again and again under load leave every append whole or absent, and once where it was acknowledged",
    reason:
      "Failovers, rolling restarts and load balancers break all connections at the same moment",
    cases: [
      { name: "append() of four clients whose connections keep breaking", run: breakUnderLoad },
    ],
  },
  {
    id: "P76",
    group: "network",
    level: "L4",
    requires: ["server", "processes"],
    statement:
      "Clients whose clocks are an hour apart change no order of events, and lists follow the declared clock",
    reason:
      "Clocks of machines are never the same, and a log that is sorted by them tells answers before their questions",
    cases: [
      { name: "append() of clients whose clocks differ", run: appendWithSkewedClocks },
      { name: "list() of sessions whose clients' clocks differ", run: listWithSkewedClocks },
    ],
  },
  {
    id: "P77",
    group: "network",
    level: "L4",
    requires: ["server"],
    statement: "However many reads are left open, every other call gets its turn",
    reason: "A read that holds a connection of a small pool locks out its own process",
    cases: [
      {
        name: "append(), head() and list() beside fifty open reads",
        async run({ open, check }) {
          const handle = await open();
          await handle.append(id, numbered(1, 1_000));
          const reads = sequence(1, 50).map(() => handle.read(id)[Symbol.asyncIterator]());
          for (const read of reads) check.same(await nextNumber(read), 1);
          check.same(await handle.append(id, numbered(1_001, 1_001)), 1_001);
          check.same(await handle.head(id), 1_001);
          check.same((await handle.list()).length, 1);
          for (const read of reads) check.same(await nextNumber(read), 2);
          for (const read of reads) await read.return?.();
        },
      },
    ],
  },
  {
    id: "F4",
    group: "tail",
    level: "L4",
    requires: ["server"],
    statement: "A follower whose connection breaks misses nothing and gets nothing twice",
    reason: "A notification that was sent while nobody listened never comes again",
    reports: ["dbos-inc/dbos-transact-py#562", "commanded/eventstore#309"],
    cases: [
      { name: "tail() across connections that break while it waits", run: followAcrossBreaks },
      {
        name: "tail() whose connections are cut on the way to the server while it begins",
        run: (context) => followAcrossStarts(context, "before the server has it"),
      },
      {
        name: "tail() whose connections are cut on the way back while it begins",
        run: (context) => followAcrossStarts(context, "before the answer arrives"),
      },
    ],
  },
];
