// The kit in a dozen seconds: one agent session in two stores, a race, a crash, a cut file, an agent that goes back in
// time. Everything is real: other processes, SIGKILL, bytes on disk. Every line that says "ok" was computed from what
// happened; if one does not hold, the exit code is 1.
//
// Usage: npm run demo

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import Database from "better-sqlite3";
import { bugFixSession } from "./demo/agent-session.mjs";
import { killWriters } from "./demo/crash.mjs";
import { cutTail, flipByte } from "./demo/damage.mjs";
import { ckpt } from "./demo/processes.mjs";
import { raceIn } from "./demo/race.mjs";
import { rewind } from "./demo/rewind.mjs";
import { claim, command, count, heading, output, say, summary } from "./demo/stage.mjs";
import { open, stores } from "./demo/stores.mjs";

const begin = performance.now();
const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "checkpointer-demo-"));
const session = "bugfix";
const events = bugFixSession();

async function importAndShow() {
  heading("An agent's session goes into two stores");
  const source = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  writeFileSync(`${session}.jsonl`, source);
  const size = Math.round(statSync(`${session}.jsonl`).size / 1000);
  say(`   A generated bug-fix session: ${count(events.length, "event")}, ${size} kB of JSONL.`);
  for (const { name, spec } of stores) {
    const imported = await ckpt(folder, "import", `${session}.jsonl`, "--store", spec);
    output(imported.stdout + imported.stderr);
    const exported = await ckpt(folder, "export", session, "--store", spec);
    claim(
      normalized(exported.stdout) === source,
      `${name}: what comes out equals what went in, all ${count(events.length, "event")}`,
    );
  }
  const shown = await ckpt(folder, "show", session, "--limit", "6", "--store", stores[0].spec);
  output(shown.stdout);
  output(`... ${events.length - 6} events more`);
}

/** One spelling for equal values, key order included. */
function normalized(jsonLines) {
  const lines = jsonLines.split("\n").slice(0, -1);
  return lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join("");
}

function query() {
  heading("The stores are plain files that other tools can read");
  const sql = `SELECT payload ->> 'type' AS type, count(*) AS events FROM events GROUP BY type`;
  command(`sqlite3 sessions.db "${sql}"`);
  say("     (run here through the driver, so that nothing else has to be installed)");
  const database = new Database("sessions.db", { readonly: true });
  const rows = database.prepare(sql).all();
  database.close();
  output(rows.map((row) => `${row.type}|${row.events}`).join("\n"));
  const sameCounts = rows.every(({ type, events: number }) => number === countOf(type));
  const total = rows.reduce((sum, row) => sum + row.events, 0);
  claim(sameCounts && total === events.length, "SQL counts every type as often as it was appended");
  command(`head -n 2 sessions/${session}.jsonl`);
  const lines = readFileSync(`sessions/${session}.jsonl`, "utf8").split("\n").slice(0, -1);
  output(lines.join("\n"), 2);
  claim(
    lines.length === events.length + 1 && lines.every((line) => JSON.parse(line) !== null),
    `the log is JSON, a line an event, after one header line (${count(lines.length, "line")})`,
  );
}

function countOf(type) {
  return events.filter((event) => event.type === type).length;
}

async function fork() {
  heading("A fork tries another way from an earlier point");
  const [at, target] = [40, "bugfix-retry"];
  const { spec } = stores[1];
  const forked = await ckpt(folder, "fork", session, String(at), target, "--store", spec);
  output(forked.stdout + forked.stderr);
  const exported = await ckpt(folder, "export", target, "--store", spec);
  const expected = events.slice(0, at).map((event) => `${JSON.stringify(event)}\n`);
  claim(
    normalized(exported.stdout) === expected.join(""),
    `${target} holds exactly the first ${at} events`,
  );
  const store = open(spec);
  const before = await store.head(session);
  const head = await store.append(target, [{ type: "user", content: "Try it without dates." }]);
  const after = await store.head(session);
  await store.close();
  claim(
    head === at + 1 && after === before,
    `${target} goes on at ${head}; ${session} stays at ${after}`,
  );
}

async function main() {
  say("checkpointer-kit: append-only session storage for AI agents");
  say("(runs in a temporary folder, which is removed at the end)");
  await importAndShow();
  query();
  heading("A second process races this one: both saw head h, both append h + 1");
  let races = 0;
  for (const store of stores) races += await raceIn(store, session);
  heading("Writers are followed live, then killed in the middle of an append");
  const crashes = [];
  for (const store of stores) crashes.push(await killWriters(store));
  for (const { goingOn } of crashes) (await goingOn)();
  heading("The end of a file is cut off, as a power cut does");
  await cutTail(folder);
  heading("A bit flips in the middle of a file, as broken disks do");
  await flipByte(folder);
  await fork();
  heading("An agent's files and its conversation go back in time together");
  const rewound = await rewind();
  const acknowledged = crashes.reduce((sum, crash) => sum + crash.acknowledged, 0);
  const killed = crashes.reduce((sum, crash) => sum + crash.killed, 0);
  return summary(
    [
      `A session of ${events.length} events went through two stores, one interface, and came back the same.`,
      `In ${races} races two writers never both won: the loser was told and went on.`,
      `${killed} writers were killed; of ${acknowledged} acknowledged events not one was lost.`,
      `An agent's ${count(rewound, "file")} went back in time with its conversation, and forward again.`,
      "A torn end was recognised and mended; a damaged event was named, never read as data.",
    ],
    (performance.now() - begin) / 1_000,
  );
}

process.on("exit", () => {
  process.chdir(root);
  rmSync(folder, { recursive: true, force: true });
});
process.on("SIGINT", () => process.exit(130));
process.chdir(folder);
if (!(await main())) process.exitCode = 1;
