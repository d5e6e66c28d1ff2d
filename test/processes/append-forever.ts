// A child process that appends batches until it is killed, and writes down each acknowledgement.

import { setTimeout as sleep } from "node:timers/promises";
import { openLedger } from "./ledger.ts";
import { seededRandom } from "../../bench/seeded-random.ts";
import { below } from "./random.ts";
import { eventOf, openPlace, type Place } from "./script.ts";

/** What the child is told. */
export interface Endless {
  readonly place: Place;
  readonly session: string;
  readonly ledger: string;
  /** Makes its ids unique, and decides how large its batches are. */
  readonly run: number;
}

/** An acknowledged batch. */
export interface Acknowledged {
  readonly ids: readonly string[];
  readonly head: number;
}

const { place, session, ledger: path, run } = JSON.parse(process.argv[2] ?? "") as Endless;
const ledger = openLedger<Acknowledged>(path);
const random = seededRandom(run);
const checkpointer = await openPlace(place);

// Told before the first append, so that kills fall into it as well.
process.send?.("ready");
for (let batch = 0; ; batch += 1) {
  const size = 1 + below(random, 5);
  const ids = Array.from({ length: size }, (_, index) => `${run}.${batch}.${index}/${size}`);
  const head = await checkpointer.append(
    session,
    ids.map((id) => eventOf(id, below(random, 200))),
  );
  ledger.note({ ids, head });
  // Now and then, so that a kill meets an owner that lingers and a writer that waits as well.
  if (below(random, 3) === 0) await sleep(below(random, 4));
}
