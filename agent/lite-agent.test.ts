/**
 * Goal: a turn is durable step by step, two agents on one session never tangle, and what was interrupted is closed.
 * Method: scripted agents over every adapter; what is in the store is read back by another handle.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { agentStores, cleanUp, temporaryDirectory } from "../test/agent/agent-stores.ts";
import type { Checkpointer, SessionEvent } from "../src/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import { createLiteAgent } from "./lite-agent.ts";
import { scriptedModel } from "./providers/scripted-model.ts";
import { query } from "./query.ts";
import { call, put, testAgent, turnOf } from "./testing/test-agent.ts";
import type { Tool } from "./tool.ts";
import { fileTools } from "./tools/file-tools.ts";

afterEach(cleanUp);

async function eventsOf(store: Checkpointer, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { event } of store.read(sessionId)) events.push(event);
  return events;
}

async function typesOf(store: Checkpointer, sessionId: string): Promise<string[]> {
  return (await eventsOf(store, sessionId)).map(({ type }) => type);
}

function tool(name: string, run: Tool["run"]): Tool {
  return { name, description: name, inputSchema: { type: "object" }, run };
}

describe.each(agentStores)("over $name", ({ create }) => {
  test("send() makes each step durable, and another agent goes on with the session", async () => {
    const workdir = temporaryDirectory();
    const open = create();
    const steps = turnOf([call.write("a.txt", "one")], "I wrote it.");
    const agent = testAgent(workdir, open(), steps, { system: "Be brief." });
    const result = await agent.send("Write a file.");
    expect(result).toMatchObject({ text: "I wrote it.", stopReason: "end", steps: 2 });
    expect(await typesOf(open(), agent.sessionId)).toEqual([
      "user",
      "assistant",
      "tool_started",
      "file_snapshot",
      "tool_result",
      "assistant",
    ]);
    await agent.close();

    const again = testAgent(workdir, open(), [
      (request) => ({ text: `${request.messages.length} messages` }),
    ]);
    await again.resume(agent.sessionId);
    expect((await again.send("How many?")).text).toBe("5 messages");
    expect((await again.listSessions()).map(({ id }) => id)).toEqual([agent.sessionId]);
  });

  test("two agents on one session: the slower one conflicts, resumes and goes on", async () => {
    const workdir = temporaryDirectory();
    const open = create();
    const one = testAgent(workdir, open(), [...turnOf([]), { text: "after" }]);
    await one.send("first");
    const other = testAgent(workdir, open(), turnOf([]));
    await other.resume(one.sessionId);

    const slow = testAgent(workdir, open(), [
      async () => {
        await other.send("in between");
        return { toolCalls: [call.write("never.txt", "x")] };
      },
      { text: "after" },
    ]);
    await slow.resume(one.sessionId);
    await expect(slow.send("slow")).rejects.toMatchObject({ code: "CONFLICT" });
    expect(existsSync(join(workdir, "never.txt"))).toBe(false);
    await slow.resume(one.sessionId);
    await slow.send("again");
    const events = await eventsOf(open(), one.sessionId);
    const prompts = events.flatMap((event) => (event.type === "user" ? [event.content] : []));
    expect(prompts).toEqual(["first", "slow", "in between", "again"]);
    // An agent that was only left behind reads the session again by itself.
    await one.send("one more");
    expect((await eventsOf(open(), one.sessionId)).length).toBe(events.length + 2);
  });

  test("resume() closes interrupted calls and background work, and nothing is answered twice", async () => {
    const open = create();
    const store = open();
    const calls = ["x", "y", "z"].map((id) => ({ type: "tool_use", id, name: "slow", input: {} }));
    await store.append("s", [
      { type: "user", content: "go", origin: "input" },
      { type: "assistant", content: calls },
      { type: "tool_started", callId: "x", name: "slow", input: {} },
      { type: "tool_result", callId: "x", output: "x" },
      { type: "tool_result", callId: "y", output: "y" },
      { type: "tool_started", callId: "z", name: "slow", input: {} },
      { type: "background_started", taskId: "t", name: "build" },
    ]);
    const agent = testAgent(temporaryDirectory(), open(), [
      (request) => ({ text: JSON.stringify(request.messages.at(-1)) }),
    ]);
    await agent.resume("s");
    await agent.resume("s");
    const closed = (await eventsOf(store, "s")).slice(7);
    expect(closed).toMatchObject([
      { type: "tool_result", callId: "z", isError: true },
      { type: "background_completed", taskId: "t", isError: true },
    ]);
    const { text } = await agent.send("what happened?");
    for (const id of ["x", "y", "z"]) expect(text).toContain(`"tool_use_id":"${id}"`);
    const checkpoints = await agent.listCheckpoints("s");
    expect(checkpoints.map(({ prompt }) => prompt)).toEqual(["go", "what happened?"]);
  });

  test("background work ends in the session, and keeps compact and restore waiting", async () => {
    const open = create();
    let finish: (output: string) => void = () => undefined;
    const build = tool("build", (_input, { runInBackground }) =>
      runInBackground("build", () => new Promise<string>((resolve) => (finish = resolve))),
    );
    const agent = testAgent(
      temporaryDirectory(),
      open(),
      [...turnOf([{ name: "build" }]), (request) => ({ text: JSON.stringify(request.messages) })],
      { tools: [build] },
    );
    await agent.send("build it");
    expect(agent.isBusy).toBe(true);
    await expect(agent.restore(agent.sessionId, 1)).rejects.toMatchObject({ code: "AGENT_BUSY" });
    await expect(agent.compact().next()).rejects.toMatchObject({ code: "AGENT_BUSY" });
    finish("built");
    await agent.idle();
    expect(agent.isBusy).toBe(false);
    expect((await eventsOf(open(), agent.sessionId)).at(-1)).toMatchObject({
      type: "background_completed",
      output: "built",
    });
    expect((await agent.send("and?")).text).toContain("has ended: built");
  });
});

const [{ create }] = agentStores as [(typeof agentStores)[number]];

describe("a turn", () => {
  test("an abort while the model writes keeps what had arrived, and the next prompt goes on", async () => {
    const open = create();
    const controller = new AbortController();
    const reason = new Error("enough");
    const agent = testAgent(temporaryDirectory(), open(), [
      { text: "one two three four five" },
      { text: "again" },
    ]);
    agent.subscribe((event) => {
      if (event.type === "text" && event.text.startsWith("three")) controller.abort(reason);
    });
    const turn = agent.send("count", { signal: controller.signal });
    await expect(turn).rejects.toBe(reason);
    expect((await eventsOf(open(), agent.sessionId)).at(-1)).toMatchObject({
      type: "assistant",
      interrupted: true,
      content: [{ type: "text", text: "one two three " }],
    });
    expect((await agent.send("go on")).text).toBe("again");
  });

  test("an abort while a tool runs closes all calls, and a deaf tool changes nothing afterwards", async () => {
    const open = create();
    const workdir = temporaryDirectory();
    const controller = new AbortController();
    let late: Promise<unknown> = Promise.resolve();
    let resume: () => void = () => undefined;
    const deaf = tool("deaf", (_input, { changeFile }) => {
      late = new Promise<void>((resolve) => (resume = resolve)).then(() =>
        changeFile("late.txt", () => Buffer.from("late")),
      );
      late.catch(() => undefined);
      controller.abort();
      return late;
    });
    const agent = testAgent(workdir, open(), turnOf([{ name: "deaf" }, { name: "deaf" }]), {
      tools: [deaf],
    });
    await expect(agent.send("go", { signal: controller.signal })).rejects.toThrow();
    const results = (await eventsOf(open(), agent.sessionId)).filter(
      ({ type }) => type === "tool_result",
    );
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    resume();
    await expect(late).rejects.toThrow();
    expect(existsSync(join(workdir, "late.txt"))).toBe(false);
  });

  test("whatever a model asks for gets a result: unknown tools, bad input, tools that throw", async () => {
    const open = create();
    const throws = tool("throws", () => Promise.reject(new Error("no such table")));
    const cyclic = tool("cyclic", () => {
      const output: Record<string, unknown> = {};
      output["self"] = output;
      return Promise.resolve(output);
    });
    const huge = tool("huge", () => Promise.resolve("x".repeat(17 * 1024 * 1024)));
    const calls = [
      { name: "nobody" },
      { name: "write_file", input: { path: 7 } },
      { name: "write_file", input: '{"pa', inputError: "Unexpected end" },
      { name: "throws" },
      { name: "cyclic" },
      { name: "huge" },
      call.write("../outside.txt", "x"),
    ];
    const agent = testAgent(temporaryDirectory(), open(), turnOf(calls), {
      tools: [...fileTools, throws, cyclic, huge],
    });
    expect((await agent.send("go")).stopReason).toBe("end");
    const results = (await eventsOf(open(), agent.sessionId)).flatMap((event) =>
      event.type === "tool_result" ? [[event.isError, String(event.output)] as const] : [],
    );
    expect(results.map(([isError]) => isError)).toEqual(calls.map(() => true));
    const outputs = results.map(([, output]) => output);
    expect(outputs[0]).toBe('No tool "nobody"');
    expect(outputs[1]).toBe('"path": wanted a string, met number');
    expect(outputs[2]).toBe("Cannot read the input: Unexpected end");
    expect(outputs[3]).toBe("no such table");
    expect(outputs[4]).toContain("circular");
    expect(outputs[5]).toContain("cannot be kept");
    expect(outputs[6]).toContain("not inside the working directory");
  });

  test("a permission that says no, or fails, is recorded and the tool does not run", async () => {
    const open = create();
    const workdir = temporaryDirectory();
    const decisions = [
      { allowed: false, reason: "not today" },
      new Error("policy server away"),
      { allowed: true },
    ];
    const writes = ["a", "b", "c"].map((name) => call.write(name, name));
    const agent = testAgent(workdir, open(), turnOf(writes), {
      permission: () => {
        const decision = decisions.shift()!;
        return decision instanceof Error ? Promise.reject(decision) : Promise.resolve(decision);
      },
    });
    await agent.send("go");
    expect(["a", "b", "c"].map((name) => existsSync(join(workdir, name)))).toEqual([
      false,
      false,
      true,
    ]);
    const recorded = (await eventsOf(open(), agent.sessionId)).filter(
      ({ type }) => type === "permission_decision",
    );
    expect(recorded).toMatchObject([
      { allowed: false, reason: "not today" },
      { allowed: false, reason: "policy server away" },
      { allowed: true },
    ]);
  });

  test("a model that fails leaves a session that goes on, and a model in circles is stopped", async () => {
    const open = create();
    const agent = testAgent(
      temporaryDirectory(),
      open(),
      [
        { text: "half", error: "overloaded" },
        ...Array(3).fill({ toolCalls: [{ name: "nobody" }] }),
      ],
      { maxSteps: 3 },
    );
    await expect(agent.send("one")).rejects.toMatchObject({ code: "MODEL_FAILED" });
    const result = await agent.send("two");
    expect(result).toMatchObject({ stopReason: "max_steps", steps: 3 });
    expect((await agent.messages()).map(({ role }) => role)).toEqual(
      "user assistant user assistant user assistant user assistant user".split(" "),
    );
  });

  test("one thing at a time: a second send is refused and disturbs nothing", async () => {
    const open = create();
    const agent = testAgent(temporaryDirectory(), open(), turnOf([]));
    const first = agent.send("one");
    await expect(agent.send("two")).rejects.toMatchObject({ code: "AGENT_BUSY" });
    await expect(agent.restore(agent.sessionId, 1)).rejects.toMatchObject({ code: "AGENT_BUSY" });
    await expect(agent.resume("x")).rejects.toMatchObject({ code: "AGENT_BUSY" });
    expect(() => agent.clear()).toThrow(/under way/);
    await first;
    expect(await typesOf(open(), agent.sessionId)).toEqual(["user", "assistant"]);
  });

  test("close() cancels a running turn and background work, and waits for the log", async () => {
    const open = create();
    const store = open();
    const forever = tool("forever", (_input, { runInBackground }) =>
      runInBackground("forever", () => new Promise(() => undefined)),
    );
    const agent = testAgent(
      temporaryDirectory(),
      store,
      [{ toolCalls: [{ name: "forever" }] }, () => new Promise(() => undefined)],
      { tools: [forever] },
    );
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    agent.subscribe((event) => {
      if (event.type === "appended" && event.event.type === "tool_result") started();
    });
    const turn = agent.send("go");
    turn.catch(() => undefined);
    await running;
    await agent.close();
    await agent.close();
    await expect(turn).rejects.toMatchObject({ code: "AGENT_CLOSED" });
    expect((await eventsOf(store, agent.sessionId)).at(-1)).toMatchObject({
      type: "background_completed",
      isError: true,
    });
    await expect(agent.send("more")).rejects.toMatchObject({ code: "AGENT_CLOSED" });
    await expect(agent.listSessions()).rejects.toMatchObject({ code: "AGENT_CLOSED" });
  });
});

describe("background work", () => {
  test("ends in the session also when somebody else changed it meanwhile", async () => {
    const open = create();
    const store = open();
    let finish: (output: string) => void = () => undefined;
    const build = tool("build", (_input, { runInBackground }) =>
      runInBackground("build", () => new Promise<string>((resolve) => (finish = resolve))),
    );
    const steps = [...turnOf([{ name: "build" }]), { text: "still there" }];
    const agent = testAgent(temporaryDirectory(), store, steps, { tools: [build] });
    await agent.send("build it");
    await store.append(agent.sessionId, [{ type: "user", content: "me too", origin: "input" }]);
    // Reading the session again does not call work interrupted that runs here.
    await agent.send("and?");
    await store.append(agent.sessionId, [{ type: "user", content: "once more", origin: "input" }]);
    finish("built");
    await agent.idle();
    const ends = (await eventsOf(store, agent.sessionId)).filter(
      ({ type }) => type === "background_completed",
    );
    expect(ends).toMatchObject([{ output: "built" }]);
  });
});

describe("an agent", () => {
  test.each([undefined, null, "", 7, {}, [], ["text"], [{}]])(
    "send(%j) is refused before anything is written",
    async (prompt) => {
      const store = create()();
      const agent = testAgent(temporaryDirectory(), store, []);
      await expect(agent.send(prompt as never)).rejects.toThrow(TypeError);
      expect(await store.list()).toEqual([]);
    },
  );

  test("close() ends a compaction that nobody pulls any more", async () => {
    const agent = testAgent(temporaryDirectory(), create()(), turnOf([]));
    await agent.send("go");
    const compaction = agent.compact();
    await compaction.next();
    await agent.close();
    expect((await compaction.next()).done).toBe(true);
  });

  test("a resume() that fails leaves the present session as it was", async () => {
    const open = create();
    const store = open();
    const workdir = temporaryDirectory();
    const agent = testAgent(workdir, store, [...turnOf([]), { text: "here" }]);
    await agent.send("one");
    await store.append("broken", [
      { type: "user", content: "go", origin: "input" },
      {
        type: "file_snapshot",
        path: "a.txt",
        before: { state: "text", text: "one", mode: 0o644 },
        afterHash: null,
      },
      {
        type: "restore_started",
        targetSeq: 1,
        files: true,
        conversation: true,
        firstSnapshotSeq: 3,
        branchId: "broken~1",
        keep: true,
        workId: "0123456789abcdef",
      },
    ]);
    put(workdir, "a.txt", "mine");
    const { sessionId } = agent;
    await expect(agent.resume("broken")).rejects.toMatchObject({ code: "RESTORE_REFUSED" });
    expect(agent.sessionId).toBe(sessionId);
    expect((await agent.send("two")).text).toBe("here");
    await agent.restore("broken", 1, { force: true });
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("one");
    await agent.resume("broken");
    expect(await agent.messages()).toEqual([]);
  });

  test("its appends, restores and compactions are spans, and nothing anybody said is in them", async () => {
    const spans: string[] = [];
    const contexts: unknown[] = [];
    const names = ["append", "restore", "compact"];
    const listen = names.map((name) => {
      const channel = `tracing:checkpointer-kit:${name}:asyncEnd`;
      const heard = (context: unknown): void => {
        spans.push(name);
        contexts.push(context);
      };
      subscribe(channel, heard);
      return () => unsubscribe(channel, heard);
    });
    try {
      const canary = "canary-4711";
      const agent = testAgent(temporaryDirectory(), create()(), [
        ...turnOf([call.write(`${canary}.txt`, canary)], canary),
        ...turnOf([], canary),
      ]);
      await agent.send(canary);
      for await (const _event of agent.compact(canary));
      await agent.send(canary);
      await agent.restore(agent.sessionId, (await agent.listCheckpoints(agent.sessionId))[1]!.seq);
      await expect(agent.restore(agent.sessionId, 99)).rejects.toThrow();
      expect(spans.filter((name) => name !== "append")).toEqual(["compact", "restore", "restore"]);
      expect(contexts.at(-1)).toMatchObject({ seq: 99, error: { code: "NOT_A_CHECKPOINT" } });
      expect(JSON.stringify(contexts)).not.toContain(canary);
    } finally {
      for (const stop of listen) stop();
    }
  });

  test("sessions: false keeps nothing, and what is about sessions rejects", async () => {
    const workdir = temporaryDirectory();
    const agent = createLiteAgent({
      model: scriptedModel([...turnOf([call.write("a.txt", "one")]), { text: "two" }]),
      modelName: "m",
      workdir,
      sessions: false,
    });
    await agent.send("one");
    await agent.send("two");
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("one");
    expect(await agent.messages()).toHaveLength(6);
    const off = { code: "SESSIONS_OFF" };
    await expect(agent.listSessions()).rejects.toMatchObject(off);
    await expect(agent.resume("x")).rejects.toMatchObject(off);
    await expect(agent.deleteSession("x")).rejects.toMatchObject(off);
    await expect(agent.listCheckpoints("x")).rejects.toMatchObject(off);
    await expect(agent.restore("x", 1)).rejects.toMatchObject(off);
  });

  test("the default store is under the user's data directory, one folder a project, for nobody else", async () => {
    const data = temporaryDirectory();
    vi.stubEnv("XDG_DATA_HOME", data);
    try {
      const workdir = temporaryDirectory();
      const options = { modelName: "m", workdir };
      const agent = createLiteAgent({ ...options, model: scriptedModel(turnOf([])) });
      await agent.send("hello");
      await agent.close();
      const again = createLiteAgent({ ...options, model: scriptedModel([]) });
      expect((await again.listSessions()).map(({ id }) => id)).toEqual([agent.sessionId]);
      await again.close();
      const elsewhere = createLiteAgent({ ...options, workdir: data, model: scriptedModel([]) });
      expect(await elsewhere.listSessions()).toEqual([]);
      await elsewhere.close();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("clear(), deleteSession() and resume() change the session, and unknown ones are not made", async () => {
    const open = create();
    const store = open();
    const agent = testAgent(temporaryDirectory(), store, [...turnOf([]), ...turnOf([])]);
    const first = agent.sessionId;
    await agent.send("one");
    agent.clear();
    expect(agent.sessionId).not.toBe(first);
    expect(await agent.messages()).toEqual([]);
    await agent.send("two");
    await expect(agent.resume("nobody")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    await expect(agent.resume("\0")).rejects.toMatchObject({ code: "INVALID_SESSION_ID" });
    await agent.resume(first);
    await agent.deleteSession(first);
    expect(agent.sessionId).not.toBe(first);
    expect(await store.list()).toHaveLength(1);
  });

  test("subscribers get every event in order, and one that throws disturbs nobody", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const agent = testAgent(temporaryDirectory(), create()(), turnOf([], "well done"));
    const events: AgentEvent[] = [];
    agent.subscribe(() => {
      throw new Error("broken");
    });
    const stop = agent.subscribe((event) => void events.push(event));
    await agent.send("go");
    stop();
    agent.clear();
    expect(events.map((event) => (event.type === "turn" ? event.phase : event.type))).toEqual(
      "start appended text text appended done".split(" "),
    );
    expect(warning).toHaveBeenCalledTimes(6);
    warning.mockRestore();
  });

  test("query() gives the events and the result of one turn; leaving the loop cancels it", async () => {
    const open = create();
    const store = open();
    const workdir = temporaryDirectory();
    const options = { modelName: "m", workdir, checkpointer: store, prompt: "go" };
    const run = query({ ...options, model: scriptedModel(turnOf([], "two words")) });
    const seen: string[] = [];
    let step = await run.next();
    for (; step.done !== true; step = await run.next()) seen.push(step.value.type);
    expect(seen).toEqual(["turn", "appended", "text", "text", "appended", "turn"]);
    expect(step.value).toMatchObject({ text: "two words" });

    for await (const event of query({ ...options, model: scriptedModel(turnOf([], "a b c d")) })) {
      if (event.type === "text") break;
    }
    const [latest] = await store.list();
    expect((await eventsOf(store, latest!.id)).at(-1)).toMatchObject({ interrupted: true });

    const failing = query({ ...options, model: scriptedModel([{ error: "overloaded" }]) });
    await expect(
      (async () => {
        for await (const _event of failing);
      })(),
    ).rejects.toMatchObject({ code: "MODEL_FAILED" });
  });

  test.each([
    [{ model: {} }, /model/],
    [{ modelName: "" }, /modelName/],
    [{ workdir: "/does/not/exist" }, /workdir/],
    [{ maxTokens: 0 }, /maxTokens/],
    [{ tools: [tool("two words", () => Promise.resolve())] }, /tools/],
    [{ tools: [...fileTools, ...fileTools] }, /tools/],
  ])("bad options are refused at once: %j", (bad, message) => {
    const good = { model: scriptedModel([]), modelName: "m", workdir: temporaryDirectory() };
    expect(() => createLiteAgent({ ...good, ...bad } as never)).toThrow(message);
  });

  test("a file that is changed between the snapshot and the write is left alone", async () => {
    const workdir = temporaryDirectory();
    put(workdir, "a.txt", "mine");
    const agent = testAgent(workdir, create()(), turnOf([call.write("a.txt", "theirs")]));
    agent.subscribe((event) => {
      if (event.type === "appended" && event.event.type === "file_snapshot") {
        writeFileSync(join(workdir, "a.txt"), "mine again");
      }
    });
    await agent.send("go");
    expect(readFileSync(join(workdir, "a.txt"), "utf8")).toBe("mine again");
  });
});
