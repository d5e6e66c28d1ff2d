import { changes } from "../changes.ts";
import { failureOf, Violation } from "../check.ts";
import { collect } from "../collect.ts";
import { allowDamage, damageLog, damageMiddle, tearLog, tearTail } from "../faults/damage-log.ts";
import { failCalls, failSyncs } from "../faults/fail-calls.ts";
import { addForeignFiles } from "../faults/foreign-files.ts";
import { cutPower } from "../faults/power-cut.ts";
import { killOwner } from "../processes/dead-owner.ts";
import { sweepKills } from "../processes/kill-sweep.ts";
import { stopOwner } from "../processes/slow-owner.ts";
import { withProcess } from "../processes/use-processes.ts";
import type { Case, Properties } from "../property.ts";
import {
  id,
  listedIds,
  numbered,
  numbersOf,
  readAll,
  sequence,
  stateOf,
} from "../session-state.ts";

const killed: readonly Case[] = changes.map((change) => ({
  name: `${change.name} that is killed at any step leaves the old or the new state`,
  requires: change.requires ?? [],
  run: (context) => sweepKills(context, change),
}));

const failed: readonly Case[] = changes.map((change) => ({
  name: `${change.name} whose calls fail is done, not done or unknown, as it says`,
  requires: change.requires ?? [],
  run: (context) => failCalls(context, change),
}));

/** What a store keeps when processes, disks and machines fail. */
export const durabilityProperties: Properties = [
  {
    id: "P61",
    group: "durability",
    level: "L3",
    requires: ["durable"],
    statement: "What was acknowledged is there after a restart",
    reason: "A save that is queued somewhere is no save",
    reports: ["withastro/astro#15453"],
    cases: [
      {
        name: "append(), truncate() and delete() are there after a reopen",
        async run({ open, reopen, check, manifest }) {
          const handle = await open();
          await handle.append(id, numbered(1, 30));
          await handle.append("gone", numbered(1, 2));
          await handle.append("kept", numbered(1, 3));
          await handle.delete("gone");
          if (manifest.truncate) await handle.truncate(id, 7);
          const before = await stateOf(handle);
          check.equal(await stateOf(await reopen()), before);
        },
      },
      {
        name: "append() is there for another process at once",
        requires: ["processes"],
        async run({ open, check, fixture }) {
          const handle = await open();
          await withProcess(fixture, {}, async (remote) => {
            await remote.open();
            for (const n of sequence(1, 5)) {
              check.same(await handle.append(id, [{ n }]), n);
              check.equal(await numbersOf(remote.handle), sequence(1, n));
              check.same(await remote.handle.append("back", [{ n }]), n);
              check.equal(await numbersOf(handle, "back"), sequence(1, n));
            }
          });
        },
      },
    ],
  },
  {
    id: "P62",
    group: "durability",
    level: "L3",
    requires: ["durable", "processes"],
    statement:
      "A process that is killed at any step leaves the old state or the new one, and the new one if it was acknowledged",
    reason: "Laptops are closed and containers are evicted in the middle of a write",
    reports: ["anthropics/claude-code#49876", "withastro/astro#15453"],
    cases: killed,
  },
  {
    id: "P63",
    group: "durability",
    level: "L3",
    requires: ["durable", "files", "logFile"],
    statement:
      "A last append that is cut at any byte is gone whole, and everything before it is there",
    reason: "A torn tail that makes the whole session unreadable loses what was safe",
    reports: ["netease-lcap/wave-agent#2137"],
    cases: [
      {
        name: "append() after a tail that was cut at any byte",
        run: (context) => tearLog(context),
      },
    ],
  },
  {
    id: "P64",
    group: "durability",
    level: "L3",
    requires: ["durable", "files", "logFile"],
    statement:
      "A last append that lacks only its last byte is kept or gone whole, and the next one does not join it",
    reason: "Two records on one line are both lost, every time",
    reports: ["PrimeIntellect-ai/prime-agent#1785"],
    cases: [
      {
        name: "append() after a tail that lacks one byte",
        run: (context) => tearLog(context, { least: 1, most: 1 }),
      },
    ],
  },
  {
    id: "P65",
    group: "durability",
    level: "L3",
    requires: ["durable", "damage"],
    statement:
      "Damage in the middle of a log is a typed error behind everything that comes before it, never a shorter or another log",
    reason: "An agent that resumes on half a history without knowing acts on what nobody said",
    reports: [
      "anthropics/claude-code#50347",
      "anthropics/claude-code#53821",
      "proma-ai/Proma#1048",
    ],
    cases: [
      {
        name: "read() of a log with flipped bits, zeros, missing, doubled and swapped records",
        requires: ["files", "logFile"],
        run: (context) => damageLog(context),
      },
      {
        name: "read() of a log with a record that is gone or garbled",
        async run(context) {
          const { fixture, check } = context;
          if (fixture.damage === undefined) return;
          for (const kind of ["garble", "remove"] as const) {
            const sessionId = `damaged by ${kind}`;
            const handle = await context.open();
            await handle.append(sessionId, numbered(1, 9));
            await handle.append("other", numbered(1, 2), 0);
            await context.closeAll();
            await fixture.damage(sessionId, 5, kind);
            const reader = await context.reopen();
            allowDamage(await failureOf(reader.read(sessionId)), `a record to ${kind}`);
            const seen: number[] = [];
            const reading = async (): Promise<void> => {
              for await (const { seq } of reader.read(sessionId)) seen.push(seq);
            };
            await failureOf(reading());
            check.equal(seen, sequence(1, 4), `what comes before a record to ${kind}`);
            check.equal(await numbersOf(reader, "other"), [1, 2]);
            await reader.delete("other");
          }
        },
      },
      {
        name: "verify() finds damage, and says where",
        requires: ["verify"],
        async run(context) {
          const { fixture, check } = context;
          if (fixture.damage === undefined) return;
          const handle = await context.open();
          await handle.append(id, numbered(1, 9));
          await handle.append("healthy", numbered(1, 2));
          await context.closeAll();
          await fixture.damage(id, 5, "remove");
          const reports = await collect((await context.reopen()).verify());
          const damaged = reports.filter(({ ok }) => !ok).map(({ sessionId }) => sessionId);
          check.equal(damaged, [id]);
          check.equal(reports.find((report) => report.sessionId === id)?.records, 4);
        },
      },
    ],
  },
  {
    id: "P66",
    group: "durability",
    level: "L3",
    requires: ["durable", "files", "processes"],
    statement:
      "A full or failing disk gives a typed error that says whether the change was made, and the store works on afterwards",
    reason: "An error that is swallowed is a lost turn; one that poisons the log is a lost session",
    cases: failed,
  },
  {
    id: "P67",
    group: "durability",
    level: "L3",
    requires: ["power", "files", "processes"],
    statement: "An append whose sync failed is not acknowledged, even if the next sync succeeds",
    reason:
      "After a failed fsync the kernel may have dropped the pages; a second one proves nothing",
    cases: changes.slice(0, 1).map((change) => ({
      name: `${change.name} whose sync fails is not acknowledged`,
      run: (context) => failSyncs(context, change),
    })),
  },
  {
    id: "P68",
    group: "durability",
    level: "L3",
    requires: ["durable", "files", "logFile", "repair"],
    statement: "repair() drops nothing that was acknowledged, and reports what it drops",
    reason: "A repair that guesses is damage with a friendly name",
    cases: [
      {
        name: "repair() cuts a torn tail, once, and nothing else",
        async run(context) {
          const { check } = context;
          await tearTail(context, 7);
          const handle = await context.reopen();
          const dropped = await handle.repair(id);
          check.ok(dropped !== null && dropped.bytes > 0, "a torn tail is reported");
          check.same(await handle.repair(id), null);
          check.equal(await numbersOf(handle), [1, 2, 3]);
          check.same(await handle.append(id, numbered(4, 4)), 4);
        },
      },
      {
        name: "repair() of a log that is damaged in its middle leaves it as it is",
        async run(context) {
          const { check } = context;
          const handle = await context.open();
          for (const n of sequence(1, 6)) await handle.append(id, [{ n }]);
          await context.closeAll();
          await damageMiddle(context);
          const reader = await context.reopen();
          allowDamage(await failureOf(readAll(reader)), "a flipped bit");
          const outcome = await failureOf(
            reader.repair(id).then((dropped) => {
              if (dropped === null) throw new Violation("nothing to repair");
              return dropped;
            }),
          );
          check.ok(outcome instanceof Error, "damage is nothing that repair() may cut");
          allowDamage(await failureOf(readAll(reader)), "a flipped bit, later");
        },
      },
    ],
  },
  {
    id: "P69",
    group: "durability",
    level: "L3",
    requires: ["durable", "processes"],
    statement: "What a dead process held is taken over, and nothing it had acknowledged is lost",
    reason:
      "A lock that outlives its owner locks out everybody, until somebody deletes it by hand at the wrong moment",
    reports: ["Digital-Process-Tools/claude-remember#181"],
    cases: [
      {
        name: "append() gets its turn after the owner was killed",
        run: (context) => killOwner(context),
      },
    ],
  },
  {
    id: "P70",
    group: "durability",
    level: "L3",
    requires: ["durable", "processes"],
    statement:
      "A process that was stopped past the limit and wakes up does no harm to what others have written",
    reason: "A laptop that sleeps for an hour believes that it still holds the lock",
    reports: ["moxystudio/node-proper-lockfile#121"],
    cases: [
      {
        name: "append() of a process that wakes up after a takeover",
        run: (context) => stopOwner(context, false),
      },
    ],
  },
  {
    id: "P71",
    group: "durability",
    level: "L3",
    requires: ["power", "files", "directory", "processes"],
    statement:
      "Nothing acknowledged is lost by a power cut, whatever the disk made of what was not synced",
    reason:
      "A rename that was not synced leaves an empty file, and a file that was not synced leaves none",
    reports: ["anthropics/claude-code#49876"],
    cases: [
      {
        name: "append(), truncate(), fork() and delete() before a power cut",
        run: (context) => cutPower(context),
      },
    ],
  },
  {
    id: "P72",
    group: "durability",
    level: "L3",
    requires: ["files", "directory"],
    statement: "Files that are none of the store's are no sessions, and do no harm",
    reason: "Editors, file managers and sync tools leave things everywhere",
    cases: [
      {
        name: "list() and append() among foreign files",
        async run(context) {
          const { check, fixture } = context;
          const handle = await context.open();
          await handle.append(id, numbered(1, 3));
          await context.closeAll();
          addForeignFiles(fixture.directory ?? "");
          const later = await context.reopen();
          check.equal(await listedIds(later), [id]);
          check.same(await later.append(id, numbered(4, 4)), 4);
          check.equal(await numbersOf(later), [1, 2, 3, 4]);
          check.same(await later.append("notes.txt", numbered(1, 1), 0), 1);
          check.equal((await listedIds(later)).toSorted(), ["notes.txt", id]);
        },
      },
    ],
  },
];
