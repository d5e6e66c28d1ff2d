// Goal: a restore that fails leaves everything as it was and says what failed, or stays open and says so; it never
// leaves some files in one state and some in the other for good. Method: calls into the file system and of the store
// that fail on demand.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { createLiteAgent, RestoreError, type LiteAgent } from "../../agent/index.ts";
import { hookFileSystem, type FileCall } from "../../conformance/faults/hook-file-system.ts";
import { CheckpointError, type Checkpointer } from "../../src/index.ts";
import { makeFastTempDir, removeTempDir } from "../processes/store-state.ts";
import { filesIn, modelOf, putFile, putProject, turns, type Files } from "./scene.ts";

let root: string;
/** Why a call into the file system is to fail; null: it is not. */
let refusal: (call: FileCall) => string | null = () => null;

beforeAll(async () => {
  root = makeFastTempDir();
  await hookFileSystem({
    before(call) {
      const code = refusal(call);
      if (code !== null) throw Object.assign(new Error(`${code}: injected`), { code });
    },
  });
});
beforeEach(() => void (refusal = () => null));
afterAll(() => removeTempDir(root));

/** A session with its past, and a store that fails on demand. */
interface Scene {
  readonly agent: LiteAgent;
  readonly workdir: string;
  readonly store: Checkpointer;
  readonly seq: number;
  readonly past: string;
  readonly present: string;
  readonly look: () => Promise<string>;
  readonly branches: () => Promise<number>;
  /** What the store does instead of the next calls of these methods. */
  readonly faults: Faults;
}

type Method = "append" | "fork" | "truncate" | "delete" | "headToken" | "head" | "read";
/** `fail` instead of the call, or `lose` its answer. */
type Faults = Partial<Record<Method, "fail" | "lose">>;

const ioFailed = (): CheckpointError => new CheckpointError("IO_FAILED", "injected");

/** Fails as often as it is told to; a call whose answer is lost fails once. */
function failing(inner: Checkpointer, faults: Faults): Checkpointer {
  const around = <A extends unknown[], R>(name: Method, method: (...args: A) => Promise<R>) =>
    async function (...args: A): Promise<R> {
      const fault = faults[name];
      if (fault === "fail") throw ioFailed();
      const result = await method(...args);
      if (fault === undefined) return result;
      delete faults[name];
      throw ioFailed();
    };
  return {
    ...inner,
    append: around("append", inner.append.bind(inner)),
    fork: around("fork", inner.fork.bind(inner)),
    truncate: around("truncate", inner.truncate.bind(inner)),
    delete: around("delete", inner.delete.bind(inner)),
    headToken: around("headToken", inner.headToken.bind(inner)),
    head: around("head", inner.head.bind(inner)),
    read(...args) {
      if (faults.read === undefined) return inner.read(...args);
      throw ioFailed();
    },
  };
}

async function openScene(): Promise<Scene> {
  const workdir = mkdtempSync(join(root, "work-"));
  putProject(workdir);
  const faults: Faults = {};
  const store = memoryCheckpointer();
  const agent = createLiteAgent({
    model: modelOf(turns.map(({ calls }) => calls)),
    modelName: "scripted",
    workdir,
    checkpointer: failing(store, faults),
  });
  const look = async (): Promise<string> => {
    const files: Files = filesIn(workdir);
    return JSON.stringify([files, await agent.messages()], null, 1);
  };
  const looks: string[] = [];
  for (const { prompt } of turns) {
    looks.push(await look());
    await agent.send(prompt);
  }
  const checkpoints = await agent.listCheckpoints(agent.sessionId);
  const branches = async (): Promise<number> => (await store.list()).length - 1;
  const [, past = ""] = looks;
  const seq = checkpoints[1]?.seq ?? 0;
  return { agent, workdir, store, seq, past, present: await look(), look, branches, faults };
}

/** What a restore rejects with. */
async function errorOf(work: Promise<unknown>): Promise<RestoreError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RestoreError);
  return error as RestoreError;
}

const namesTarget = ({ args }: FileCall, ...names: readonly string[]): boolean =>
  names.some((name) => String(args[1] ?? args[0]).endsWith(name));

test("restore() puts everything back when three of its files cannot be swapped, and names the three", async () => {
  const { agent, seq, past, present, look, branches } = await openScene();
  refusal = (call) =>
    call.name === "rename" &&
    namesTarget(call, "/notes.md", "/tool.sh", "/gone.txt") &&
    !isUndo(call)
      ? "EACCES"
      : null;
  const error = await errorOf(agent.restore(agent.sessionId, seq));
  expect(error.code).toBe("RESTORE_FAILED");
  expect(error.problems.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
    "notes.md failed",
    "old/gone.txt failed",
    "tool.sh failed",
  ]);
  expect(error.message).toContain("all files are as they were");
  expect(await look()).toBe(present);
  expect(await branches()).toBe(0);
  expect((await agent.listCheckpoints(agent.sessionId)).map(({ prompt }) => prompt)).toEqual(
    turns.map(({ prompt }) => prompt),
  );
  refusal = () => null;
  await agent.restore(agent.sessionId, seq);
  expect(await look()).toBe(past);
});

/** Backups go back to their places; what is new comes from a file that is called so. */
const isUndo = ({ args }: FileCall): boolean => String(args[0]).endsWith("-old");

test.each([
  ["ENOSPC", "a write", (call: FileCall) => call.name === "writeFile" && ++writes === 3],
  ["ENOSPC", "the making of a file", (call: FileCall) => isStaging(call) && ++writes === 4],
  ["EIO", "the sync of a file", (call: FileCall) => call.name === "fsync" && ++writes === 2],
  ["EIO", "the sync of a directory", (call: FileCall) => call.name === "fsync" && ++writes === 6],
  ["EMLINK", "the backup of a file", (call: FileCall) => isBackUp(call)],
  [
    "EPERM",
    "a removal",
    (call: FileCall) => namesTarget(call, "/fresh.txt") && /rm|unlink/.test(call.name),
  ],
])("restore() leaves no trace when %s comes from %s", async (code, _what, matches) => {
  const { agent, seq, past, present, look, branches } = await openScene();
  writes = 0;
  let fired = 0;
  refusal = (call) => {
    if (!matches(call)) return null;
    fired += 1;
    return code;
  };
  const error = await errorOf(agent.restore(agent.sessionId, seq));
  expect(fired).toBeGreaterThan(0);
  refusal = () => null;
  expect(error.problems.map(({ reason }) => reason)).toEqual(["failed"]);
  expect(await look()).toBe(present);
  expect(await branches()).toBe(0);
  await agent.restore(agent.sessionId, seq);
  expect(await look()).toBe(past);
});

let writes = 0;
const isStaging = ({ name, args }: FileCall): boolean =>
  name === "open" && String(args[0]).endsWith("-new");
/** A link, and the copy that is made where there are no links. */
const isBackUp = ({ name, args }: FileCall): boolean =>
  (name === "link" || name === "copyFile") && String(args[0]).endsWith("/tool.sh");

test("a restore stays open when a file cannot be put back, names it, and the next resume ends it", async () => {
  const { agent, seq, past, present, look } = await openScene();
  const broken = (call: FileCall): boolean =>
    namesTarget(call, isUndo(call) ? "/notes.md" : "/tool.sh");
  refusal = (call) => (call.name === "rename" && broken(call) ? "EROFS" : null);
  const error = await errorOf(agent.restore(agent.sessionId, seq));
  expect(error.code).toBe("RESTORE_FAILED");
  expect(error.problems.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
    "tool.sh failed",
    "notes.md left",
  ]);
  expect(error.message).toContain("still open");
  // As long as the disk is broken, nobody goes on with half of the files.
  const again = await errorOf(agent.send("What now?"));
  expect(again.message).toContain("still open");
  refusal = () => null;
  await agent.resume(agent.sessionId);
  const found = await look();
  expect(found).toBe(past);
  expect(found).not.toBe(present);
});

test.each<[string, Faults, "old" | "new"]>([
  ["the store fails at the first append", { append: "fail" }, "old"],
  ["the store loses the answer to the first append", { append: "lose" }, "old"],
  ["the store fails at the fork", { fork: "fail" }, "old"],
  ["the store loses the answer to the fork", { fork: "lose" }, "old"],
  ["the store fails at the truncation", { truncate: "fail" }, "old"],
  ["the branch cannot be removed either", { truncate: "fail", delete: "fail" }, "old"],
  ["the store loses the answer to the truncation", { truncate: "lose" }, "new"],
])("files and conversation stay together when %s", async (_what, planned, outcome) => {
  const { agent, seq, past, present, look, faults } = await openScene();
  Object.assign(faults, planned);
  const restored = agent.restore(agent.sessionId, seq);
  if (outcome === "old") await expect(restored).rejects.toMatchObject({ code: "IO_FAILED" });
  else await expect(restored).resolves.toMatchObject({ conversationRestored: true });
  for (const method of Object.keys(faults) as Method[]) delete faults[method];
  await agent.resume(agent.sessionId);
  expect(await look()).toBe(outcome === "old" ? present : past);
});

test("restore() of files alone is done when only the answer of its last append is lost", async () => {
  const { agent, seq, past, faults, look } = await openScene();
  const stop = agent.subscribe((event) => {
    if (event.type === "appended" && event.event.type === "restore_started") faults.append = "lose";
  });
  const { restoredFiles } = await agent.restore(agent.sessionId, seq, { conversation: false });
  stop();
  expect(restoredFiles).toContain("notes.md");
  const [files] = JSON.parse(await look()) as [Files];
  expect(files).toEqual((JSON.parse(past) as [Files])[0]);
});

test.each<[string, Faults]>([
  ["before it cut the session", { truncate: "fail" }],
  ["after it cut the session", { truncate: "lose" }],
])("a restore stays open when the store fails for good %s", async (_what, planned) => {
  const { agent, seq, past, look, faults, branches } = await openScene();
  refusal = ({ name }) => {
    // The last step of the swap; from here on nothing of the store answers.
    if (name === "rename") Object.assign(faults, planned, { headToken: "fail", head: "fail" });
    return null;
  };
  const error = await errorOf(agent.restore(agent.sessionId, seq, { keep: false }));
  expect(error.message).toContain("still open");
  for (const method of Object.keys(faults) as Method[]) delete faults[method];
  await agent.resume(agent.sessionId);
  expect(await look()).toBe(past);
  expect(await branches()).toBe(0);
});

test("restore() does not overwrite what somebody writes while it is under way", async () => {
  const { agent, seq, past, look, workdir } = await openScene();
  const stop = agent.subscribe((event) => {
    if (event.type !== "appended" || event.event.type !== "restore_started") return;
    putFile(workdir, "tool.sh", "echo mine\n", 0o755);
  });
  const error = await errorOf(agent.restore(agent.sessionId, seq));
  stop();
  expect(error.problems).toMatchObject([{ path: "tool.sh", reason: "failed" }]);
  expect(filesIn(workdir)["tool.sh"]).toBe(`755 ${btoa("echo mine\n")}`);
  await agent.restore(agent.sessionId, seq, { force: true });
  expect(await look()).toBe(past);
});

test("resume() that cannot finish a restore leaves it open, and the next one finishes it", async () => {
  const { agent, seq, past, look, faults } = await openScene();
  let renames = 0;
  // Three files are swapped; then neither the disk nor the store answers, as if the process had been killed.
  refusal = ({ name }) => {
    if (name === "rename" && ++renames > 3) {
      Object.assign(faults, { append: "fail", headToken: "fail", read: "fail" });
      return "EIO";
    }
    return null;
  };
  await errorOf(agent.restore(agent.sessionId, seq));
  for (const method of Object.keys(faults) as Method[]) delete faults[method];
  refusal = (call) => (call.name === "rename" && namesTarget(call, "/gone.txt") ? "EIO" : null);
  const error = await errorOf(agent.resume(agent.sessionId));
  expect(error.problems).toMatchObject([{ path: "old/gone.txt", reason: "failed" }]);
  expect(error.message).toContain("still open");
  refusal = () => null;
  await agent.resume(agent.sessionId);
  expect(await look()).toBe(past);
});
