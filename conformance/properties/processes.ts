import { withAnother, type Context } from "../context.ts";
import { requireValid, runClients } from "../history/run-clients.ts";
import { stopOwner } from "../processes/slow-owner.ts";
import { withProcess, withProcesses } from "../processes/use-processes.ts";
import type { Properties } from "../property.ts";
import { id, listedIds, numbersOf, sequence, type Handle } from "../session-state.ts";

/** Bytes of events that a read of the first one must not have to look at. */
const large = 64 * 1_048_576;

/** Fills a session with events of 64 KiB. */
async function fillLarge(handle: Handle): Promise<void> {
  const event = { text: "x".repeat(65_536) };
  const batch = sequence(1, 64).map(() => event);
  for (let bytes = 0; bytes < large; bytes += batch.length * 65_536) await handle.append(id, batch);
}

/** Lets a client in each of four processes work on one session. */
async function runProcesses(context: Context, shortens: boolean): Promise<void> {
  const { fixture, check, budget, note } = context;
  await withProcesses(4, fixture, {}, async (remotes) => {
    await Promise.all(remotes.map((remote) => remote.open()));
    const handles = remotes.map(({ handle }) => handle);
    const history = await runClients({ handles, steps: 30, shortens, budget });
    note(`${history.operations.length} operations in 4 processes`);
    requireValid(check, history);
  });
}

/** Many processes onto one store. */
export const processesProperties: Properties = [
  {
    id: "P56",
    group: "processes",
    level: "L2",
    requires: ["processes"],
    statement:
      "Whatever clients in many processes do at once, there is one log that explains what each was told",
    reason: "A lock that works within one process is a variable",
    reports: ["anthropics/claude-code#45286", "langchain-ai/langgraph#8796"],
    cases: [
      {
        name: "four processes append, read and look at the head",
        run: (context) => runProcesses(context, false),
      },
      {
        name: "four processes truncate and delete as well",
        requires: ["truncate"],
        run: (context) => runProcesses(context, true),
      },
      {
        name: "append() of two processes that insist on one head, one of them stopped at each step",
        run: (context) => stopOwner(context, true),
      },
    ],
  },
  {
    id: "P59",
    group: "processes",
    level: "L2",
    requires: ["processes"],
    statement: "Processes that open a fresh store at the same moment all succeed, and agree",
    reason: "A server that starts eight workers opens the store eight times before it exists",
    reports: ["apache/maka#1544"],
    cases: [
      {
        name: "append() of eight processes that create the store together",
        async run(context) {
          const { check } = context;
          for (const _ of sequence(1, 3)) {
            await withAnother(context, async (store) => {
              await store.closeAll();
              await withProcesses(8, store.fixture, {}, async (remotes) => {
                await Promise.all(remotes.map((remote) => remote.open()));
                const append = (remote: { handle: Handle }, n: number): Promise<number> =>
                  remote.handle.append(`session ${n}`, [{ n }]);
                check.equal(
                  await Promise.all(remotes.map(append)),
                  remotes.map(() => 1),
                );
                await Promise.all(remotes.map(({ handle }, n) => handle.append("shared", [{ n }])));
                for (const { handle } of remotes) {
                  check.same((await listedIds(handle)).length, 9);
                  check.equal(
                    (await numbersOf(handle, "shared")).toSorted((a, b) => a - b),
                    sequence(0, 7),
                  );
                }
              });
            });
          }
        },
      },
    ],
  },
  {
    id: "P36",
    group: "processes",
    level: "L1",
    requires: ["processes"],
    advisory: true,
    statement: "The first event of a large log costs no more memory than that of a small one",
    reason: "A log that is read into memory whole ends the process on the day it has grown",
    cases: [
      {
        name: "read() of one event out of 64 MiB",
        async run({ open, closeAll, check, fixture, note }) {
          await fillLarge(await open());
          await closeAll();
          const growth = await withProcess(fixture, {}, async (remote) => {
            await remote.open();
            return remote.growthOfFirstRead(id);
          });
          note(`grew by ${Math.round(growth / 1_048_576)} MiB`);
          check.atMost(growth, large);
        },
      },
    ],
  },
];
