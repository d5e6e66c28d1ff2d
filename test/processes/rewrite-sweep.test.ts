// Goal: wherever a process dies while it seals sessions anew, each session is the old one or the new
// one, whole and with its keys, and another run finishes the work. Method: as in the other sweeps;
// the new one is what a ring without the old key reads, the old one still has its old head token.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reapChildren } from "./children.ts";
import { createTally, killAtEachCall, runWhole, type PlaceIn } from "./kill-sweep.ts";
import {
  createRewriteTally,
  examineRewrite,
  prepareRewrite,
  rewrites,
  type Rewrite,
} from "./rewrite-sweep.ts";
import { killAtEachSyscall, whyNoSweep } from "./sqlite-sweep.ts";
import { makeFastTempDir, removeTempDir } from "./store-state.ts";

const reason = whyNoSweep();
let root: string;

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
  if (reason !== null) console.log(`rewrite sweep sqlite: skipped, ${reason}`);
});

const files: PlaceIn = (at) => ({ adapter: "file", at });
const databases: PlaceIn = (directory) => ({
  adapter: "sqlite",
  at: join(directory, "sessions.db"),
});

/** In a soak more than one chunk of what SQLite stages, which takes three times as many kills. */
const longest = process.env["SOAK"] === "1" ? 260 : 4;

describe.each(rewrites)("$do", (rewrite) => {
  test("in files survives a SIGKILL at each of its calls", async () => {
    const own = join(root, "file");
    const prepared = await prepareRewrite(own, rewrite, files, 4);
    const { calls } = await runWhole(own, prepared.target);
    expect(calls.length).toBeGreaterThan(3 * 8);
    await judge("file", rewrite, (tally, sessions) =>
      killAtEachCall(own, prepared.target, calls, tally, (left) =>
        examineRewrite(left, prepared, sessions),
      ),
    );
  });

  test.skipIf(reason !== null)("in SQLite survives a SIGKILL at each system call", async () => {
    const own = join(root, "sqlite");
    const prepared = await prepareRewrite(own, rewrite, databases, longest);
    await judge("sqlite", rewrite, (tally, sessions) =>
      killAtEachSyscall(own, prepared.target, tally, (left) =>
        examineRewrite(left, prepared, sessions),
      ),
    );
  });
});

async function judge(
  adapter: string,
  rewrite: Rewrite,
  run: (
    tally: ReturnType<typeof createTally>,
    sessions: ReturnType<typeof createRewriteTally>,
  ) => Promise<void>,
): Promise<void> {
  const tally = createTally();
  const sessions = createRewriteTally();
  try {
    await run(tally, sessions);
  } finally {
    console.log(
      `rewrite sweep ${adapter}, ${rewrite.do}: ${tally.points} points (${tally.survived} past the ` +
        `end), sessions found old ${sessions.old}, new ${sessions.new}, neither ` +
        `${sessions.neither}; ${sessions.resumed} resumed runs finished`,
    );
  }
  expect(sessions.neither).toBe(0);
  expect(sessions.resumed).toBe(tally.points);
  expect(sessions.old).toBeGreaterThan(0);
  expect(sessions.new).toBeGreaterThan(0);
}
