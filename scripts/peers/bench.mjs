// How long does a conversation take, and how much disk, in this kit, in other stores and with bare means? Every round
// runs everybody once, in another order, in a fresh folder; ratios are taken within a round.
//
// Usage: npm run peers:bench [-- --turns 100,200,400] [-- --rounds 5] [-- --folder packages] [-- --where disk]
// `--where disk` or `--where postgres` leaves the other half out.
// Exit code: 0, or 2 when the registry does not answer

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { eventMix } from "../../dist/bench/event-mix.js";
import { seededRandom } from "../../dist/bench/seeded-random.js";
import { shuffled } from "../../dist/bench/shuffled.js";
import { spreadOf } from "../../dist/bench/statistics.js";
import { contestants } from "./conversation.mjs";
import { installPackages, loaderOf, RegistryUnreachable } from "./install-packages.mjs";
import { findServer, makeDatabase, makeFolder } from "./places.mjs";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "100,200,400" },
    rounds: { type: "string", default: "5" },
    folder: { type: "string" },
    where: { type: "string", multiple: true, default: Object.keys(contestants) },
  },
});
const lengths = values.turns.split(",").map(Number);
const rounds = Number(values.rounds);
if (![...lengths, rounds].every((one) => Number.isInteger(one) && one > 0)) {
  throw new Error("--turns and --rounds want whole numbers above 0");
}

if (!values.where.every((one) => Object.hasOwn(contestants, one))) {
  throw new Error(`--where wants one of ${Object.keys(contestants).join(", ")}`);
}

/** Events in a turn: a prompt, an answer, three tools with their results, a file before its change. */
const perTurn = 9;
const events = eventMix(Math.max(...lengths) * perTurn, 1);
const random = seededRandom(7);

/** Milliseconds for all turns and for the load after them, and the bytes that are left on disk. */
async function converse({ open, load }, turns, { given, bytes }) {
  const store = await open({ ...given, load });
  // Whoever makes a schema makes it with the first append.
  await store.turn(events.slice(0, 1));
  const begin = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    await store.turn(events.slice(turn * perTurn, (turn + 1) * perTurn));
  }
  const took = performance.now() - begin;
  const beginLoad = performance.now();
  const loaded = await store.load();
  const loadTook = performance.now() - beginLoad;
  if (loaded !== turns * perTurn + 1) throw new Error(`loaded ${loaded} of ${turns * perTurn + 1}`);
  await store.close();
  return { took, load: loadTook, bytes: await bytes() };
}

/** How often one that fails is tried again. */
const attempts = 5;

/** Some stores fail where no promise can tell, in a callback of their driver. */
async function tryToConverse(contestant, turns, makePlace) {
  for (let attempt = 1; ; attempt += 1) {
    const place = await makePlace();
    let onUncaught;
    const uncaught = new Promise((_resolve, reject) => {
      onUncaught = reject;
      process.once("uncaughtException", onUncaught);
    });
    try {
      return await Promise.race([converse(contestant, turns, place), uncaught]);
    } catch (error) {
      const { name } = contestant;
      failures.set(name, { count: (failures.get(name)?.count ?? 0) + 1, message: error.message });
      if (attempt === attempts) return undefined;
    } finally {
      process.off("uncaughtException", onUncaught);
      await place.remove();
    }
  }
}

const failures = new Map();

async function withPackages(some, root) {
  const ready = [];
  for (const contestant of some) {
    const { peer } = contestant;
    if (peer === undefined) {
      ready.push(contestant);
      continue;
    }
    const folder = join(root, peer.name);
    process.stderr.write(`${contestant.name}: installing\n`);
    try {
      await installPackages(folder, peer);
      ready.push({ ...contestant, load: await loaderOf(folder) });
    } catch (error) {
      if (error instanceof RegistryUnreachable) throw error;
      console.error(`peers: ${contestant.name} could not be installed: ${error.message}`);
    }
  }
  return ready;
}

async function measure(ready, turns, makePlace) {
  const results = new Map(ready.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of shuffled(ready, random)) {
      process.stderr.write(`${turns} turns, round ${round + 1} of ${rounds}: ${contestant.name}\n`);
      const result = await tryToConverse(contestant, turns, makePlace);
      if (round >= 0 && result !== undefined)
        results.get(contestant.name).push({ ...result, round });
    }
  }
  return results;
}

function tableOf(ready, turns, results) {
  const text = Buffer.byteLength(JSON.stringify(events.slice(0, turns * perTurn)));
  const floor = results.get(ready[0].name);
  const rows = ready.map(({ name, survives }) => {
    const own = results.get(name);
    if (own.length === 0) return `| ${name} | ${survives} | failed | | | | |`;
    const ratios = spreadOf(own.map(({ took, round }) => took / floor[round].took));
    const cells = [
      name,
      survives,
      `${spreadOf(own.map(({ took }) => took)).median.toFixed(0)} ms`,
      `**${ratios.median.toFixed(2)}** (${ratios.least.toFixed(2)} to ${ratios.most.toFixed(2)})`,
      `${spreadOf(own.map(({ load }) => load)).median.toFixed(1)} ms`,
      `${(own[0].bytes / 1e6).toFixed(1)} MB`,
      `${(own[0].bytes / text).toFixed(2)} ×`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `\n${turns} turns of ${perTurn} events, ${(text / 1e6).toFixed(1)} MB of JSON; median of ${rounds} rounds\n`,
    `| store | survives | all turns | × ${ready[0].name} | load | on disk | × JSON |`,
    "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

async function compare(some, packages, makePlace) {
  const ready = await withPackages(some, packages);
  for (const turns of lengths) {
    console.log(tableOf(ready, turns, await measure(ready, turns, makePlace)));
  }
}

const temporary = mkdtempSync(join(tmpdir(), "checkpointer-peers-"));
try {
  const packages = values.folder === undefined ? temporary : resolve(values.folder);
  if (values.where.includes("disk")) {
    await compare(contestants.disk, packages, () => makeFolder(temporary));
  }
  if (values.where.includes("postgres")) {
    const server = await findServer();
    try {
      await compare(contestants.postgres, packages, () => makeDatabase(server.url));
    } finally {
      await server.stop();
    }
  }
  for (const [name, { count, message }] of failures) {
    console.log(
      `\n${name} failed ${count} times and was tried again, the last time with: ${message}`,
    );
  }
} catch (error) {
  if (!(error instanceof RegistryUnreachable)) throw error;
  console.error(`peers: ${error.message}; nothing was measured`);
  process.exitCode = 2;
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
}
