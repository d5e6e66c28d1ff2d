import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { levels } from "../../conformance/property.ts";
import { properties } from "../../conformance/properties/index.ts";
import { createReport, type Report } from "../../conformance/report.ts";
import type { ReportedResult } from "../../conformance/reports/findings.ts";
import { CliError } from "../cli-error.ts";
import type { Io } from "../context.ts";
import { escapeText } from "../output/escape.ts";
import { certifyExitCodes } from "./certify-exit-codes.ts";
import type { Order, Subject } from "./messages.ts";
import { watchSuite } from "./watch-suite.ts";

/** Told where a run is. */
export interface SuiteWatcher {
  readonly onStart: (id: string, number: number, of: number) => void;
  readonly onResult: (result: ReportedResult) => void;
  /** What the store itself printed. */
  readonly onOutput: (text: string) => void;
}

/** What came of a run. */
export interface SuiteRun {
  readonly report: Report;
  /** What was recorded of failed runs, by the property's id. */
  readonly histories: ReadonlyMap<string, unknown>;
}

/**
 * Runs the suite in a process of its own, and ends that process and everything it started whatever
 * happens. A property that hangs or crashes ends the run; those behind it are reported as not run.
 *
 * @throws CliError when there is no usable fixture, or none that comes to an end; the signal's reason
 */
export async function runSuite(order: Order, io: Io, watcher: SuiteWatcher): Promise<SuiteRun> {
  io.signal.throwIfAborted();
  const started = performance.now();
  // Whatever the store leaves in it goes with it, also when the process had to be killed.
  const folder = await mkdtemp(join(tmpdir(), "ckpt-certify-"));
  const child = forkSuite(folder, io.env);
  try {
    const told = await follow(child, order, io.signal, watcher);
    const { subject, results, histories } = told;
    const { seed, effort, only } = order;
    const report = createReport({
      ...subject,
      level: only === undefined ? subject.level : null,
      budget: { seed, effort },
      results: [...results, ...notRun(order, subject, results)],
      milliseconds: Math.round(performance.now() - started),
    });
    return { report, histories };
  } finally {
    await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function forkSuite(folder: string, env: Io["env"]): ChildProcess {
  const script = fileURLToPath(new URL("./suite-process.js", import.meta.url));
  return fork(script, [], {
    env: { ...env, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A process group, so that the processes that the suite starts can be ended with it.
    detached: true,
  });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  // Without a pid nothing was started, and the group 0 would be our own.
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended, or the system has no groups.
    child.kill("SIGKILL");
  }
  await gone;
}

interface Told {
  readonly subject: Subject;
  readonly results: readonly ReportedResult[];
  readonly histories: ReadonlyMap<string, unknown>;
}

async function follow(
  child: ChildProcess,
  order: Order,
  signal: AbortSignal,
  watcher: SuiteWatcher,
): Promise<Told> {
  let subject: Subject | undefined;
  let running: { readonly id: string; readonly since: number } | undefined;
  const results: ReportedResult[] = [];
  const histories = new Map<string, unknown>();
  const broken = (outcome: "hung" | "fail", message: string): Told => {
    if (subject === undefined) {
      const code = outcome === "hung" ? certifyExitCodes.hung : certifyExitCodes.fixture;
      throw new CliError(code, `The fixture is unusable: ${message}`);
    }
    // Between two properties it is the next one that could not begin; behind the last, nothing is lost.
    const { id, since } = running ?? { id: missing(order, subject, results)[0], since: null };
    if (id === undefined) return { subject, results, histories };
    const milliseconds = since === null ? 0 : Math.round(performance.now() - since);
    const result = { ...untried(id, order.seed), outcome, message, milliseconds };
    results.push(result);
    watcher.onResult(result);
    return { subject, results, histories };
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", watcher.onOutput);
  }
  for await (const news of watchSuite(child, order, signal)) {
    switch (news.type) {
      case "alive":
        break;
      case "refused":
        throw new CliError(certifyExitCodes.fixture, `The fixture is unusable: ${news.message}`);
      case "subject":
        ({ subject } = news);
        break;
      case "start":
        running = { id: news.id, since: performance.now() };
        watcher.onStart(news.id, news.number, news.of);
        break;
      case "result":
        running = undefined;
        results.push(news.result);
        if (news.history !== undefined) histories.set(news.result.id, news.history);
        watcher.onResult(news.result);
        // What hangs once hangs again, and each time costs the whole patience.
        if (news.result.outcome === "hung" && subject !== undefined) {
          return { subject, results, histories };
        }
        break;
      case "stray": {
        // The end of a property may be told before what it has left behind.
        const id = running?.id ?? results.at(-1)?.id ?? "the fixture";
        watcher.onOutput(`nobody handles a rejection of ${id}: ${escapeText(news.message)}\n`);
        break;
      }
      case "crash":
        return broken("fail", news.message);
      case "silent":
        return broken("hung", news.message);
      case "end":
        if (subject !== undefined) return { subject, results, histories };
        break;
    }
  }
  return broken("fail", "the process that runs the suite ended by itself");
}

/** Results for what a run did not come to. */
function notRun(
  order: Order,
  subject: Subject,
  results: readonly ReportedResult[],
): readonly ReportedResult[] {
  const message = `not run, since the run ended with ${results.at(-1)?.id ?? "the fixture"}`;
  return missing(order, subject, results).map((id) => {
    return { ...untried(id, order.seed), message, blocks: true };
  });
}

/** The properties that were chosen and have no result, by id. */
function missing(
  { only }: Order,
  { level }: Subject,
  results: readonly ReportedResult[],
): readonly string[] {
  return properties
    .filter((one) => only?.includes(one.id) ?? levels.indexOf(one.level) <= levels.indexOf(level))
    .filter((one) => !results.some(({ id }) => id === one.id))
    .map(({ id }) => id);
}

function untried(id: string, seed: number): ReportedResult {
  return {
    id,
    outcome: "skip",
    message: "",
    blocks: false,
    failedCase: null,
    cases: 0,
    skippedCases: [],
    assertions: 0,
    seed,
    replay: null,
    notes: [],
    milliseconds: 0,
  };
}
