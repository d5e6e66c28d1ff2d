/**
 * Goal: a restore gives back exactly what was, or touches nothing and says why. Method: scripted agents change
 * real files over every adapter, plain and sealed; files are compared by SHA-256 and mode.
 */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { agentStores, cleanUp, temporaryDirectory } from "../../test/agent/agent-stores.ts";
import type { Checkpointer, SessionEvent } from "../../src/index.ts";
import type { RestoreError } from "../agent-error.ts";
import { agentLimits } from "../agent-limits.ts";
import type { LiteAgent } from "../lite-agent.ts";
import type { ScriptedStep } from "../providers/scripted-model.ts";
import { call, filesBelow, put, testAgent, turnOf } from "../testing/test-agent.ts";

afterEach(cleanUp);

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
const bomAndCrlf = Buffer.from("\ufeffone\r\ntwo\r\n", "utf8");
const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x5c, 0x0a]);
const nul = Buffer.from("text with \0 in it");

interface Scene {
  readonly workdir: string;
  readonly store: Checkpointer;
  readonly agent: LiteAgent;
}

async function played(
  open: () => Checkpointer,
  turns: readonly (readonly ScriptedStep[])[],
  before: (workdir: string) => void = () => undefined,
): Promise<Scene & { readonly states: readonly Record<string, string>[] }> {
  const workdir = temporaryDirectory();
  before(workdir);
  const store = open();
  const agent = testAgent(workdir, store, turns.flat());
  const states = [filesBelow(workdir)];
  for (const [index] of turns.entries()) {
    await agent.send(`prompt ${index + 1}`);
    states.push(filesBelow(workdir));
  }
  return { workdir, store, agent, states };
}

async function seqOf({ agent }: Pick<Scene, "agent">, prompt: number): Promise<number> {
  const checkpoints = await agent.listCheckpoints(agent.sessionId);
  return checkpoints.find((checkpoint) => checkpoint.prompt === `prompt ${prompt}`)!.seq;
}

function textsOf(messages: Awaited<ReturnType<LiteAgent["messages"]>>): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "text" ? [String(block["text" as never])] : [])),
  );
}

describe.each(agentStores)("over $name", ({ name: storeName, create }) => {
  test("restore() gives back bytes 00 to FF, BOM and CRLF, empty, Shift-JIS and U+0000 files", async () => {
    const files = {
      "bytes.bin": everyByte,
      "bom.txt": bomAndCrlf,
      "empty.txt": "",
      "japanese.txt": shiftJis,
      "nul.txt": nul,
      "deep/er/ünï 日本.txt": "text",
    };
    const names = Object.keys(files);
    const scene = await played(
      create(),
      [
        turnOf(names.map((name) => call.write(name, "overwritten"))),
        turnOf([...names.slice(0, 3).map(call.remove), call.write("new.txt", everyByte)]),
      ],
      (workdir) => {
        for (const [name, content] of Object.entries(files)) put(workdir, name, content);
        chmodSync(join(workdir, "bytes.bin"), 0o751);
      },
    );
    const result = await scene.agent.restore(scene.agent.sessionId, await seqOf(scene, 1));
    expect(filesBelow(scene.workdir)).toEqual(scene.states[0]);
    expect([...result.restoredFiles].sort()).toEqual([...names, "new.txt"].sort());
    expect(await scene.agent.messages()).toEqual([]);
  });

  test("restore() goes back to each checkpoint of 50 turns, and forward again through its branch", async () => {
    const turns = Array.from({ length: 50 }, (_, turn) => {
      const file = `file-${turn % 7}.txt`;
      if (turn % 11 === 10) return turnOf([call.remove(`file-${(turn - 1) % 7}.txt`)]);
      if (turn % 5 === 4) return turnOf([]);
      return turnOf([call.write(file, `turn ${turn}`), call.write("log.txt", "x".repeat(turn))]);
    });
    const scene = await played(create(), turns);
    const { agent, workdir, states } = scene;
    const checkpoints = await agent.listCheckpoints(agent.sessionId);
    expect(checkpoints).toHaveLength(50);
    const now = await agent.messages();
    let session = agent.sessionId;
    const all = [...checkpoints.keys()];
    for (const index of storeName === "memory" ? all : [49, 0, 30]) {
      const { branchId } = await agent.restore(session, checkpoints[index]!.seq);
      expect(filesBelow(workdir)).toEqual(states[index]);
      await agent.resume(session);
      expect(textsOf(await agent.messages()).at(-2)).toBe(
        index === 0 ? undefined : `prompt ${index}`,
      );
      const forward = await agent.listCheckpoints(branchId!);
      await agent.restore(branchId!, forward.at(-1)!.seq, { keep: false });
      expect(filesBelow(workdir)).toEqual(states[50]);
      await agent.resume(branchId!);
      expect(await agent.messages()).toEqual(now);
      session = branchId!;
    }
  });

  test("restore({ conversation: false }) keeps what was said, and can itself be undone", async () => {
    const scene = await played(create(), [
      turnOf([call.write("a.txt", "one")]),
      turnOf([call.write("a.txt", "two")]),
    ]);
    const { agent, workdir, states } = scene;
    const result = await agent.restore(agent.sessionId, await seqOf(scene, 2), {
      conversation: false,
    });
    expect(result).toMatchObject({ conversationRestored: false, branchId: null });
    expect(filesBelow(workdir)).toEqual(states[1]);
    expect(textsOf(await agent.messages())).toContain(
      "These files were put back to an earlier state: a.txt",
    );
    const [last] = (await agent.listCheckpoints(agent.sessionId)).slice(-1);
    await agent.restore(agent.sessionId, last!.seq);
    expect(filesBelow(workdir)).toEqual(states[2]);
  });

  test("restore({ files: false }) leaves files, and a later restore still knows their past", async () => {
    const scene = await played(
      create(),
      [turnOf([]), turnOf([call.write("a.bin", everyByte), call.write("b.txt", "b")])],
      (workdir) => put(workdir, "a.bin", "as it was"),
    );
    const { agent, workdir, states } = scene;
    await agent.restore(agent.sessionId, await seqOf(scene, 2), { files: false });
    expect(filesBelow(workdir)).toEqual(states[2]);
    expect(textsOf(await agent.messages())).toEqual(["prompt 1", "done"]);
    await agent.restore(agent.sessionId, await seqOf(scene, 1), { keep: false });
    expect(filesBelow(workdir)).toEqual(states[0]);
  });

  test("keep: false leaves no branch", async () => {
    const scene = await played(create(), [turnOf([call.write("a.txt", "one")])]);
    const { agent, store } = scene;
    const result = await agent.restore(agent.sessionId, 1, { keep: false });
    expect(result.branchId).toBeNull();
    expect((await store.list()).map(({ id }) => id)).toEqual([agent.sessionId]);
  });
});

const [{ create }] = agentStores as [(typeof agentStores)[number]];

/** What a restore that must not happen says; files and session are compared with before. */
async function refused(
  { agent, workdir, store }: Scene,
  seq: number,
  options = {},
): Promise<RestoreError> {
  const files = filesBelow(workdir);
  const token = await store.headToken(agent.sessionId);
  const error: unknown = await agent.restore(agent.sessionId, seq, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(filesBelow(workdir)).toEqual(files);
  expect(await store.headToken(agent.sessionId)).toBe(token);
  return error as RestoreError;
}

describe("files in the way", () => {
  const twoTurns = [
    turnOf([call.write("a.txt", "one"), call.write("b.txt", "b")]),
    turnOf([call.write("a.txt", "two")]),
  ];

  test("a file that somebody else changed is refused, and overwritten with force", async () => {
    const scene = await played(create(), twoTurns);
    const { agent, workdir, states } = scene;
    writeFileSync(join(workdir, "a.txt"), "mine");
    rmSync(join(workdir, "b.txt"));
    const seq = await seqOf(scene, 2);
    const error = await refused(scene, seq);
    expect(error.code).toBe("RESTORE_REFUSED");
    expect(error.problems).toEqual([
      { path: "a.txt", reason: "changed", detail: "somebody else changed it since" },
    ]);
    const { branchId } = await agent.restore(agent.sessionId, seq, { force: true });
    expect(filesBelow(workdir)["a.txt"]).toBe(states[1]!["a.txt"]);
    // What was overwritten is not lost.
    const [last] = (await agent.listCheckpoints(branchId!)).slice(-1);
    await agent.restore(branchId!, last!.seq);
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("mine");
  });

  test("a file that somebody renamed or removed is refused; with force it comes back", async () => {
    const scene = await played(create(), twoTurns);
    const { agent, workdir } = scene;
    renameSync(join(workdir, "a.txt"), join(workdir, "elsewhere.txt"));
    const seq = await seqOf(scene, 2);
    const { problems } = await refused(scene, seq);
    expect(problems).toEqual([
      { path: "a.txt", reason: "changed", detail: "somebody else removed it since" },
    ]);
    await agent.restore(agent.sessionId, seq, { force: true });
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("one");
    expect(readFileSync(join(workdir, "elsewhere.txt"), "utf8")).toBe("two");
  });

  test("a file that somebody put back by hand is no problem, and a changed mode is put back", async () => {
    const scene = await played(create(), twoTurns);
    const { agent, workdir, states } = scene;
    writeFileSync(join(workdir, "a.txt"), "one");
    chmodSync(join(workdir, "a.txt"), 0o700);
    await agent.restore(agent.sessionId, await seqOf(scene, 2));
    expect(filesBelow(workdir)).toEqual(states[1]);
  });

  test("files that no tool recorded are never touched", async () => {
    const scene = await played(create(), twoTurns, (workdir) => {
      put(workdir, "neighbour.txt", "mine");
      put(workdir, "sub/neighbour.bin", everyByte);
    });
    const { agent, workdir } = scene;
    put(workdir, "later.txt", "mine too");
    const inode = statSync(join(workdir, "neighbour.txt")).ino;
    await agent.restore(agent.sessionId, 1);
    expect(Object.keys(filesBelow(workdir))).toEqual([
      "later.txt",
      "neighbour.txt",
      "sub/neighbour.bin",
    ]);
    expect(statSync(join(workdir, "neighbour.txt")).ino).toBe(inode);
  });

  test("a directory that became a symbolic link is refused, and so is a file that became one", async () => {
    const scene = await played(create(), [
      turnOf([call.write("dir/a.txt", "one"), call.write("b.txt", "one")]),
      turnOf([call.write("dir/a.txt", "two"), call.write("b.txt", "two")]),
    ]);
    const outside = temporaryDirectory();
    put(outside, "a.txt", "two");
    rmSync(join(scene.workdir, "dir"), { recursive: true });
    symlinkSync(outside, join(scene.workdir, "dir"));
    rmSync(join(scene.workdir, "b.txt"));
    symlinkSync(join(outside, "a.txt"), join(scene.workdir, "b.txt"));
    const error = await refused(scene, await seqOf(scene, 2), { force: true });
    expect(error.problems.map(({ path, reason }) => [path, reason])).toEqual([
      ["dir/a.txt", "unsafe"],
      ["b.txt", "unsafe"],
    ]);
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("two");
  });

  test("a directory in a file's place is refused", async () => {
    const scene = await played(create(), twoTurns);
    rmSync(join(scene.workdir, "a.txt"));
    mkdirSync(join(scene.workdir, "a.txt"));
    const { problems } = await refused(scene, await seqOf(scene, 2), { force: true });
    expect(problems.map(({ reason }) => reason)).toEqual(["unsafe"]);
  });

  test.each(["../outside.txt", "/etc/hostname", "a/../../b", ".", ""])(
    "a log that names %j is refused as a whole",
    async (path) => {
      const scene = await played(create(), twoTurns);
      const snapshot: SessionEvent = {
        type: "file_snapshot",
        path,
        before: { state: "text", text: "hostile", mode: 0o644 },
        afterHash: null,
      };
      await scene.store.append(scene.agent.sessionId, [snapshot]);
      const { problems } = await refused(scene, 1, { force: true });
      expect(problems.map((problem) => [problem.path, problem.reason])).toEqual([[path, "unsafe"]]);
    },
  );

  test("a file over the limit is listed as unavailable and refused; the conversation alone is not", async () => {
    const scene = await played(create(), twoTurns, (workdir) => {
      put(workdir, "a.txt", Buffer.alloc(agentLimits.maxSnapshotBytes + 1, 7));
    });
    const { agent } = scene;
    const [first, second] = await agent.listCheckpoints(agent.sessionId);
    expect(first).toMatchObject({ files: ["a.txt", "b.txt"], unavailableFiles: ["a.txt"] });
    expect(second).toMatchObject({ files: ["a.txt"], unavailableFiles: [] });
    const { problems } = await refused(scene, first!.seq, { force: true });
    expect(problems.map(({ path, reason }) => [path, reason])).toEqual([["a.txt", "unavailable"]]);
    await agent.restore(agent.sessionId, first!.seq, { files: false });
    expect(await agent.messages()).toEqual([]);
  });

  test("a snapshot that does not hold the bytes it says fails, and every file is as it was", async () => {
    const scene = await played(create(), twoTurns);
    const { agent, store, workdir } = scene;
    const before = { state: "text", text: "b", mode: 0o644, hash: "00".repeat(32) } as const;
    const afterHash = null;
    await store.append(agent.sessionId, [
      { type: "file_snapshot", path: "c.txt", before, afterHash },
    ]);
    const files = filesBelow(workdir);
    await expect(agent.restore(agent.sessionId, 1)).rejects.toMatchObject({
      code: "RESTORE_FAILED",
      problems: [{ path: "c.txt", reason: "failed" }],
    });
    expect(filesBelow(workdir)).toEqual(files);
    expect(textsOf(await agent.messages())).toContain("prompt 2");
  });
});

describe("targets", () => {
  const turns = [turnOf([call.write("a.txt", "one")])];

  test.each([0, 2, 3, 99, -1, 1.5, Number.NaN])("%j is no checkpoint", async (seq) => {
    const error = await refused(await played(create(), turns), seq);
    expect(error.code).toBe("NOT_A_CHECKPOINT");
  });

  test("an unknown session is refused, and not created", async () => {
    const { agent, store } = await played(create(), turns);
    await expect(agent.restore("nobody", 1)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    await expect(agent.listCheckpoints("nobody")).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
    expect((await store.list()).map(({ id }) => id)).toEqual([agent.sessionId]);
  });

  test("a cut inside a group of tool calls is refused, files alone are not", async () => {
    const scene = await played(create(), turns);
    const { agent, store } = scene;
    const calls = ["x", "y"].map((id) => ({ type: "tool_use", id, name: "read_file", input: {} }));
    await store.append(agent.sessionId, [
      { type: "assistant", content: calls },
      { type: "tool_result", callId: "x", output: "read" },
      { type: "user", content: "stop that", origin: "input" },
    ]);
    const last = (await agent.listCheckpoints(agent.sessionId)).at(-1)!;
    expect(last).toMatchObject({ prompt: "stop that", unfinishedToolCalls: true });
    expect((await refused(scene, last.seq)).code).toBe("UNFINISHED_TOOL_CALLS");
    await agent.restore(agent.sessionId, last.seq, { conversation: false });
  });
});
