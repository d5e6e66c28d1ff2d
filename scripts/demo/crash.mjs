// Writers in processes of their own, each killed with SIGKILL while an append is running.

import { fileURLToPath } from "node:url";
import { batch, batchSize } from "./batch.mjs";
import { start, startCkpt } from "./processes.mjs";
import { claim, count, output } from "./stage.mjs";
import { open, readAll } from "./stores.mjs";

const writer = fileURLToPath(new URL("writer.mjs", import.meta.url));

/** How many appends each writer may start before it is killed. */
const lifetimes = [25, 40, 55];

/**
 * Kills writers in one store and looks at what they left.
 *
 * @returns the going on of new writers behind the dead ones, which need not be waited for at once: a file store first
 * lets the lock of a dead writer grow stale
 */
export async function killWriters({ name, spec }) {
  const follower = startCkpt(
    process.cwd(),
    "tail",
    "-f",
    "live-1",
    "--since",
    "0",
    "--store",
    spec,
  );
  const victims = await Promise.all(
    lifetimes.map((lifetime, index) => kill(spec, index, lifetime)),
  );
  const store = open(spec);
  const found = [];
  for (const victim of victims) found.push(await inspect(store, victim));

  const [first] = found;
  await follower.until(() => follower.lines().length >= first.events).catch(() => undefined);
  follower.process.kill("SIGINT");
  await follower.closed;
  output(follower.stdout(), 4);
  claim(
    follower.lines().length === first.events && follower.lines().every(hasSeq),
    `${name}: ckpt tail followed live-1: ${count(first.events, "event")}, no gap, none twice`,
  );

  const acknowledged = sum(victims, (victim) => victim.acknowledged * batchSize);
  const events = sum(found, (one) => one.events);
  const running = victims.filter((victim) => victim.started > victim.acknowledged).length;
  claim(
    running > 0,
    `${name}: ${count(victims.length, "writer")} killed with kill -9, ${running} of them mid-append`,
  );
  claim(
    found.every((one) => one.complete),
    `${name}: ${count(acknowledged, "event")} were acknowledged, each is there and unchanged`,
  );
  claim(
    found.every((one) => one.whole),
    `${name}: ${count(events, "event")} found; what was not acknowledged is there whole or not at all`,
  );
  return { acknowledged, killed: victims.length, goingOn: goOn(store, name, found) };
}

async function kill(spec, index, lifetime) {
  const sessionId = `live-${index + 1}`;
  const child = start(process.cwd(), writer, [spec, sessionId]);
  const startedNow = () => child.lines().filter((line) => line.startsWith("start")).length;
  await child.until(() => startedNow() >= lifetime);
  child.process.kill("SIGKILL");
  await child.closed;
  const started = startedNow();
  return { sessionId, started, acknowledged: child.lines().length - started };
}

async function inspect(store, { sessionId, started, acknowledged }) {
  const stored = await readAll(store, sessionId);
  const appends = stored.length / batchSize;
  const sent = Array.from({ length: Math.ceil(appends) }, (_, index) => batch(index + 1)).flat();
  const unchanged = stored.every(
    ({ event }, index) => JSON.stringify(event) === JSON.stringify(sent[index]),
  );
  return {
    sessionId,
    appends,
    events: stored.length,
    complete: unchanged && appends >= acknowledged,
    whole: Number.isInteger(appends) && appends <= started,
  };
}

/** The next writer of each session appends where the dead one stopped. */
async function goOn(store, name, found) {
  const begin = performance.now();
  const heads = await Promise.all(
    found.map(({ sessionId, appends, events }) =>
      store.append(sessionId, batch(appends + 1), events),
    ),
  );
  const seconds = (performance.now() - begin) / 1_000;
  await store.close();
  const behind = heads.every((head, index) => head === found[index].events + batchSize);
  return () =>
    claim(
      behind,
      `${name}: new writers went on behind the dead ones after ${seconds.toFixed(1)} s`,
    );
}

function hasSeq(line, index) {
  return Number(/^\s*(\d+) /.exec(line)?.[1]) === index + 1;
}

function sum(list, value) {
  return list.reduce((total, one) => total + value(one), 0);
}
