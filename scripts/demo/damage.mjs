// The file of a session after a power cut and after a broken disk, and what `ckpt verify` says about each.

import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { batchSize } from "./batch.mjs";
import { ckpt } from "./processes.mjs";
import { claim, command, count, output } from "./stage.mjs";
import { open } from "./stores.mjs";

const sessionId = "live-2";
const log = `${sessionId}.jsonl`;

/** Cuts the last append in two. */
export async function cutTail(folder) {
  const { path, spec, head } = await copyOf(folder, "power-cut");
  const cut = 100;
  const size = statSync(path).size;
  truncateSync(path, size - cut);
  command(`truncate --size=-${cut} power-cut/${log}`);
  const verify = await ckpt(folder, "verify", "--store", spec);
  output(verify.stdout);
  claim(
    verify.code === 0 && verify.stdout.includes("TORN_TAIL"),
    "verify reports a torn tail, which is what a crash leaves, and no other damage",
  );
  const repair = await ckpt(folder, "repair", sessionId, "--store", spec);
  output(repair.stdout);
  const bytes = Number(/([\d,]+) bytes? cut off/.exec(repair.stdout)?.[1].replaceAll(",", ""));
  const left = await headOf(spec);
  claim(
    repair.code === 0 && left === head - batchSize && statSync(path).size + bytes === size - cut,
    `repair cut the ${count(bytes, "byte")} left of the last append; ${left} of ${head} events ` +
      "remain, all whole appends",
  );
}

/** Changes one byte in the middle. */
export async function flipByte(folder) {
  const { path, spec, head } = await copyOf(folder, "bad-disk");
  const bytes = readFileSync(path);
  const position = bytes.length >> 1;
  bytes[position] ^= 1;
  writeFileSync(path, bytes);
  const verify = await ckpt(folder, "verify", "--store", spec);
  output(verify.stdout + verify.stderr);
  const [, seq, offset] = /at seq (\d+) \(byte (\d+)\)/.exec(verify.stdout)?.map(Number) ?? [];
  claim(
    verify.code === 4 && position >= offset,
    `one bit changed at byte ${position}: verify names seq ${seq} and exits with 4`,
  );
  const shown = await ckpt(folder, "show", sessionId, "--store", spec);
  output(shown.stderr);
  const lines = shown.stdout.split("\n").length - 1;
  const whole = Math.floor((seq - 1) / batchSize) * batchSize;
  claim(
    shown.code === 4 && lines === whole && lines < head,
    `show prints the ${count(lines, "event")} of whole appends before it and stops there`,
  );
}

async function copyOf(folder, name) {
  mkdirSync(join(folder, name));
  const path = join(folder, name, log);
  copyFileSync(join(folder, "sessions", log), path);
  const spec = `file:${name}`;
  return { path, spec, head: await headOf(spec) };
}

async function headOf(spec) {
  const store = open(spec);
  const head = await store.head(sessionId);
  await store.close();
  return head;
}
