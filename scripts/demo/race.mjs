// Two processes that both read head h and both want to be the one who appends h + 1.

import { fileURLToPath } from "node:url";
import { start } from "./processes.mjs";
import { claim, output } from "./stage.mjs";
import { open, readAll } from "./stores.mjs";

const rounds = 10;
const racer = fileURLToPath(new URL("racer.mjs", import.meta.url));

/** Appends one event that insists on `head`, at `moment`; after a conflict once more, behind what is there. */
export async function race(store, sessionId, who, head, moment) {
  const event = { type: "user", content: `A message from the ${who} behind seq ${head}` };
  while (Date.now() < moment) await new Promise((resolve) => void setTimeout(resolve, 1));
  try {
    await store.append(sessionId, [event], head);
    return { won: true };
  } catch (error) {
    if (error.code !== "CONFLICT") throw error;
    await store.append(sessionId, [event]);
    return { won: false, message: error.message };
  }
}

/**
 * Races a second process in one store.
 *
 * @returns the number of rounds
 */
export async function raceIn({ name, spec }, sessionId) {
  const store = open(spec);
  const second = start(process.cwd(), racer, [spec, sessionId]);
  await second.until(() => second.lines().length === 1);
  const before = await store.head(sessionId);
  const wins = { here: 0, there: 0 };
  let message = "";
  for (let round = 0; round < rounds; round += 1) {
    const head = await store.head(sessionId);
    const moment = Date.now() + 10;
    second.process.stdin.write(`${head} ${moment}\n`);
    const here = await race(store, sessionId, "first process", head, moment);
    await second.until(() => second.lines().length === round + 2);
    const there = JSON.parse(second.lines().at(-1));
    if (here.won && !there.won) wins.here += 1;
    if (there.won && !here.won) wins.there += 1;
    message = here.message ?? there.message ?? message;
  }
  second.process.stdin.end();
  await second.closed;
  const landed = (await readAll(store, sessionId)).slice(before);
  const texts = new Set(landed.map(({ event }) => event.content));
  await store.close();
  output(`CONFLICT: ${message}`);
  claim(
    wins.here + wins.there === rounds,
    `${name}: ${rounds} rounds, in each one append won and one got a conflict ` +
      `(${wins.here} won here, ${wins.there} there)`,
  );
  claim(
    landed.length === 2 * rounds && texts.size === 2 * rounds,
    `${name}: the losers read the head again and went on; ${landed.length} of ${2 * rounds} ` +
      "events are there",
  );
  return rounds;
}
