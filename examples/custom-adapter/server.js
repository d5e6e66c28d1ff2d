// minikv: a key-value server in one file, small enough to read and real enough to race, kill and restart.
// Usage: node server.js <folder>     It listens on <folder>/socket and keeps its data in <folder>/data.

import { appendFileSync, chmodSync, closeSync, fdatasync, fsyncSync } from "node:fs";
import { ftruncateSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { readLines } from "./lines.js";

/*
 * Protocol: a request is a line of JSON, and so is its answer; answers come in the order of requests.
 *
 *   ["get", key]               {"revision": n, "value": v}     revision 0: there is no such key
 *   ["field", key, name]       a field of a hash, or null
 *   ["range", key, from, to]   items of a list, 1-based and inclusive, or null where there is no list
 *   ["scan", prefix]           [[key, value], ...]
 *   ["exec", checks, steps]    true once the steps are on disk, all of them; false if a check failed
 *
 * A check is [key, revision]. Steps: ["set", key, value], ["field", key, name, value],
 * ["push", list, item, ...], ["trim", list, length], ["put", list, position, item],
 * ["drop", list, position], ["rename", from, to], ["delete", key].
 *
 * Every change is one line of the data file, which is synced before anybody learns of the change.
 */

const [folder = "."] = process.argv.slice(2);

/** Keys with their values: anything JSON has, a `Map` for a hash, an array for a list. */
const values = new Map();
/** Keys with the number of the change that set them last. */
const revisions = new Map();
let changes = 0;

const steps = {
  set(key, value) {
    values.set(key, value);
    revisions.set(key, changes);
  },
  field: (key, name, value) => void entry(key, () => new Map()).set(name, value),
  push: (key, ...items) => void entry(key, () => []).push(...items),
  trim: (key, length) => void entry(key, () => []).splice(length),
  put: (key, position, item) => void entry(key, () => []).splice(position - 1, 1, item),
  drop: (key, position) => void entry(key, () => []).splice(position - 1, 1),
  rename(from, to) {
    if (values.has(from)) values.set(to, values.get(from));
    steps.delete(from);
  },
  delete(key) {
    values.delete(key);
    revisions.delete(key);
  },
};

function entry(key, create) {
  if (!values.has(key)) values.set(key, create());
  return values.get(key);
}

function apply(todo) {
  changes += 1;
  for (const [name, ...rest] of todo) steps[name](...rest);
}

const commands = {
  get: (key) => ({ revision: revisions.get(key) ?? 0, value: values.get(key) ?? null }),
  field: (key, name) => values.get(key)?.get(name) ?? null,
  range: (key, from, to) => values.get(key)?.slice(from - 1, to) ?? null,
  scan: (prefix) => [...values].filter(([key]) => key.startsWith(prefix)),
  exec(checks, todo) {
    if (checks.some(([key, revision]) => (revisions.get(key) ?? 0) !== revision)) return false;
    appendFileSync(data, `${JSON.stringify(todo)}\n`);
    unsynced = true;
    apply(todo);
    return true;
  },
};

/** Replays the data file. What follows its last whole line was never acknowledged, and is cut. */
function load(path) {
  const file = openSync(path, "a+", 0o600);
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf("\n") + 1;
  for (const line of bytes.toString("utf8", 0, end).split("\n").slice(0, -1))
    apply(JSON.parse(line));
  ftruncateSync(file, end);
  fsyncSync(file);
  const directory = openSync(folder, "r");
  fsyncSync(directory);
  closeSync(directory);
  return file;
}

let unsynced = false;
let syncing = false;
/** Answers that wait for the disk: those to reads too, since they may show what is not on it yet. */
const waiting = [];

function answerWhenSynced(answer) {
  if (!unsynced && !syncing) return answer();
  waiting.push(answer);
  if (!syncing) sync();
}

/** One sync for all changes that were made during the one before. */
function sync() {
  const answers = waiting.splice(0);
  unsynced = false;
  syncing = true;
  fdatasync(data, (error) => {
    // What is on disk then nobody knows before a restart looks.
    if (error !== null) throw error;
    for (const answer of answers) answer();
    syncing = false;
    if (waiting.length > 0) sync();
  });
}

const data = load(join(folder, "data"));
const address = join(folder, "socket");
rmSync(address, { force: true });
const server = createServer((socket) => {
  // A client that died in the middle of something.
  socket.on("error", () => socket.destroy());
  readLines(socket, (line) => {
    const [name, ...rest] = JSON.parse(line);
    const answer = JSON.stringify(commands[name](...rest));
    answerWhenSynced(() => socket.write(`${answer}\n`));
  });
});
server.listen(address, () => {
  chmodSync(address, 0o600);
  process.stdout.write("ready\n");
});
// Whoever started it is gone.
process.stdin.on("end", () => process.exit()).resume();
