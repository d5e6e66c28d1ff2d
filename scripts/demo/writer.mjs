// A writer that is going to be killed: appends one batch after the other and tells when it starts one and when the
// store has acknowledged it. The lines go straight to the pipe, so that what was told outlives this process.
//
// Usage: node writer.mjs <spec> <session>

import { writeSync } from "node:fs";
import process from "node:process";
import { batch } from "./batch.mjs";
import { open } from "./stores.mjs";

const [, , spec, sessionId] = process.argv;
const store = open(spec);
for (let number = 1; ; number += 1) {
  writeSync(1, `start ${number}\n`);
  await store.append(sessionId, batch(number));
  writeSync(1, `acknowledged ${number}\n`);
}
