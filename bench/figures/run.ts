// Runs every workload and prints a Markdown table; see README.md beside this file.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lookAround } from "../environment.ts";
import { gigabyte } from "./gigabyte.ts";
import { compare, measure } from "./measure.ts";
import { tableHead, tableRow } from "./report.ts";
import { restore } from "./restore.ts";
import type { Workload } from "./workload.ts";
import { agentAppend, agentTurn } from "./workloads/agent.ts";
import { fileAppend } from "./workloads/file-append.ts";
import { fileOneSession } from "./workloads/file-one-session.ts";
import { fileGrowth, memoryGrowth, postgresGrowth, sqliteGrowth } from "./workloads/growth.ts";
import { list } from "./workloads/list.ts";
import { memoryAppend } from "./workloads/memory-append.ts";
import { postgresAppend } from "./workloads/postgres-append.ts";
import { read } from "./workloads/read.ts";
import { resume } from "./workloads/resume.ts";
import { seal, sealedAppend } from "./workloads/sealing.ts";
import { sqliteAppend } from "./workloads/sqlite-append.ts";
import { sqliteManySessions } from "./workloads/sqlite-many-sessions.ts";

const workloads: readonly Workload[] = [
  memoryAppend,
  fileAppend,
  sqliteAppend,
  postgresAppend,
  fileOneSession,
  sqliteManySessions,
  sealedAppend,
  seal,
  read,
  resume,
  memoryGrowth,
  fileGrowth,
  sqliteGrowth,
  postgresGrowth,
  list,
  agentAppend,
  agentTurn,
];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "7" },
    dir: { type: "string", default: tmpdir() },
    gigabyte: { type: "boolean", default: false },
    restore: { type: "boolean", default: false },
  },
});

function chosen(): readonly Workload[] {
  const names = workloads.map(({ name }) => name);
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new RangeError(
      `--only: no workload ${unknown.join(", ")}; there are ${names.join(", ")}`,
    );
  }
  return workloads.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
}

function rounds(): number {
  const count = Number(values.rounds);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RangeError(`--rounds: wanted a whole number from 1, met ${values.rounds}`);
}

/** What the figures depend on, in one line. */
async function describeEnvironment(folder: string): Promise<string> {
  const { node, sqlite, system, cores, processor, fileSystem, load } = await lookAround(folder);
  return [
    `Node ${node}`,
    `SQLite ${sqlite}`,
    system,
    `${cores} × ${processor}`,
    fileSystem,
    `load ${load.toFixed(1)}`,
  ].join(", ");
}

async function main(folder: string): Promise<void> {
  const selected = chosen();
  const count = rounds();
  console.log(`${await describeEnvironment(folder)}; median of ${count} rounds\n\n${tableHead}`);
  const skipped: string[] = [];
  for (const { name, prepare } of selected) {
    const own = join(folder, name);
    mkdirSync(own);
    const prepared = await prepare(own);
    if ("skipped" in prepared) {
      skipped.push(`${name} is skipped: ${prepared.skipped}`);
      continue;
    }
    const { contestants, comparisons, close } = prepared;
    const costs = await measure(contestants, count);
    for (const comparison of comparisons) console.log(tableRow(compare(comparison, costs)));
    await close();
    rmSync(own, { recursive: true });
  }
  if (skipped.length > 0) console.log(`\n${skipped.join("\n")}`);
  if (values.gigabyte) console.log(`\n${await gigabyte(folder)}`);
  if (values.restore) console.log(`\n${await restore(folder)}`);
}

const folder = mkdtempSync(join(values.dir, "checkpointer-bench-"));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
