// The process in which `ckpt certify` runs a store. It is apart so that a store that spins, crashes
// or leaves something open cannot take the report with it.

import process from "node:process";
import { runSuite } from "../../conformance/certify.ts";
import { describeSubject } from "../../conformance/describe-subject.ts";
import type { CreateFixture } from "../../conformance/fixture.ts";
import { reachableLevel } from "../../conformance/reachable-level.ts";
import type { PropertyResult } from "../../conformance/run-property.ts";
import { redact } from "../redact.ts";
import { loadFixture } from "./load-fixture.ts";
import type { News, Order, Subject } from "./messages.ts";

/** Often enough that silence means a loop that never ends, seldom enough to cost nothing. */
const aliveMs = 250;

function tell(news: News): Promise<void> {
  return new Promise((resolve) => {
    // Without a channel the parent is gone, and so is the reason to go on.
    if (process.send === undefined) process.exit(1);
    process.send(news, () => resolve());
  });
}

async function subjectOf(createFixture: CreateFixture, order: Order): Promise<Subject> {
  const { seed, effort, level } = order;
  const subject = await describeSubject(createFixture, { seed, effort });
  return { ...subject, level: level ?? reachableLevel(subject.manifest) };
}

function resultNews({ error, ...result }: PropertyResult): News {
  const history = (error as { history?: unknown } | null | undefined)?.history;
  // A store's own errors may quote the connection string they were given.
  return { type: "result", result: { ...result, message: redact(result.message) }, history };
}

async function run(order: Order): Promise<void> {
  let createFixture: CreateFixture;
  let subject: Subject;
  try {
    createFixture = await loadFixture(order.source);
    subject = await subjectOf(createFixture, order);
  } catch (error) {
    await tell({
      type: "refused",
      message: error instanceof Error ? error.message : String(error),
    });
    return;
  }
  await tell({ type: "subject", subject });
  await runSuite(createFixture, {
    ...order,
    level: subject.level,
    onProgress({ property: { id }, number, of, result }) {
      void tell(result === undefined ? { type: "start", id, number, of } : resultNews(result));
    },
  });
  // A rejection that nobody handles is told when everything else has had its turn.
  await new Promise<void>((resolve) => void setImmediate(resolve));
  await tell({ type: "end" });
}

process.on("unhandledRejection", (reason) => {
  void tell({ type: "stray", message: redact(String(reason)) });
});
process.on("uncaughtException", (error) => {
  void tell({ type: "crash", message: redact(String(error)) }).then(() => process.exit(1));
});
process.on("disconnect", () => process.exit(1));
setInterval(() => void tell({ type: "alive" }), aliveMs);
process.once("message", (order) => void run(order as Order));
