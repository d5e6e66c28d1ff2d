// The second process of the race. For each line `<head> <moment>` it waits for the moment and appends one event that
// insists on the head, then tells what came of it. On a conflict it reads the head again and appends behind it.
//
// Usage: node racer.mjs <spec> <session>

import process from "node:process";
import { createInterface } from "node:readline";
import { race } from "./race.mjs";
import { open } from "./stores.mjs";

const [, , spec, sessionId] = process.argv;
const store = open(spec);
await store.head(sessionId);
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [head, moment] = line.split(" ").map(Number);
  console.log(JSON.stringify(await race(store, sessionId, "second process", head, moment)));
}
await store.close();
