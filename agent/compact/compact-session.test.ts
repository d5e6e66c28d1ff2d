/**
 * Goal: a compaction changes what the model is told and nothing else, or nothing at all. Method: scripted agents over
 * every adapter; the log is compared event by event before and after, also when it is cancelled at each stage.
 */
import { afterEach, describe, expect, test } from "vitest";
import { agentStores, cleanUp, temporaryDirectory } from "../../test/agent/agent-stores.ts";
import type { Checkpointer } from "../../src/index.ts";
import type { AgentEvent, CompactionEvent, CompactionStage } from "../agent-event.ts";
import type { LiteAgent } from "../lite-agent.ts";
import { scriptedModel } from "../providers/scripted-model.ts";
import { call, testAgent, turnOf } from "../testing/test-agent.ts";
import { modelCompactor, type SummaryRequest } from "./compactor.ts";

afterEach(cleanUp);

const stages: readonly CompactionStage[] = [
  "measure",
  "archive",
  "normalize",
  "summarize",
  "project",
  "persist",
];

async function logOf(store: Checkpointer, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const stored of store.read(sessionId)) lines.push(JSON.stringify(stored));
  return lines;
}

async function all(events: AsyncIterable<CompactionEvent>): Promise<CompactionEvent[]> {
  const list: CompactionEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function spoken(open: () => Checkpointer, options = {}): Promise<LiteAgent> {
  const agent = testAgent(
    temporaryDirectory(),
    open(),
    [
      ...turnOf([call.write("a.txt", "one")], "Wrote it."),
      ...turnOf([call.edit("a.txt", "one", "two")], "Changed it."),
      { text: "later" },
      { text: "latest" },
    ],
    options,
  );
  await agent.send("Write a.txt");
  await agent.send("Change a.txt");
  return agent;
}

describe.each(agentStores)("over $name", ({ create }) => {
  test("compact() appends one summary, keeps history and checkpoints, and a second one changes nothing", async () => {
    const open = create();
    const agent = await spoken(open);
    const before = await logOf(open(), agent.sessionId);
    const checkpoints = await agent.listCheckpoints(agent.sessionId);
    const events = await all(agent.compact("keep file paths"));
    expect(events[0]).toMatchObject({ phase: "start" });
    expect(events.at(-1)).toMatchObject({ phase: "done", changed: true });
    const seen = events.flatMap(({ stage }) => (stage === undefined ? [] : [stage]));
    expect([...new Set(seen)]).toEqual(stages);
    const after = await logOf(open(), agent.sessionId);
    expect(after.slice(0, -1)).toEqual(before);
    expect(JSON.parse(after.at(-1)!).event).toMatchObject({
      type: "summary",
      throughSeq: before.length,
    });
    expect(await agent.listCheckpoints(agent.sessionId)).toEqual(checkpoints);

    const view = await agent.messages();
    expect(view).toHaveLength(1);
    expect((await all(agent.compact())).at(-1)).toMatchObject({ phase: "done", changed: false });
    const again = testAgent(temporaryDirectory(), open(), []);
    await again.resume(agent.sessionId);
    expect(await again.messages()).toEqual(view);
    expect((await all(again.compact())).at(-1)).toMatchObject({ phase: "done", changed: false });
    expect(await logOf(open(), agent.sessionId)).toEqual(after);
  });

  test.each(stages)("an abort in stage %s leaves the log as it was", async (stage) => {
    const open = create();
    const controller = new AbortController();
    const reason = new Error("not now");
    const agent = await spoken(open);
    const before = await logOf(open(), agent.sessionId);
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      for await (const event of agent.compact(undefined, { signal: controller.signal })) {
        seen.push(event.phase);
        if (event.stage === stage) controller.abort(reason);
      }
    };
    await expect(run()).rejects.toBe(reason);
    expect(seen.at(-1)).toBe("cancelled");
    expect(await logOf(open(), agent.sessionId)).toEqual(before);
    expect((await agent.send("go on")).text).toBe("later");
  });

  test("restore() goes back behind a summary, and the conversation before it is there again", async () => {
    const open = create();
    const agent = await spoken(open);
    const full = await agent.messages();
    await all(agent.compact());
    await agent.send("After the summary");
    const checkpoints = await agent.listCheckpoints(agent.sessionId);
    await agent.restore(agent.sessionId, checkpoints.at(-1)!.seq);
    expect(await agent.messages()).toHaveLength(1);
    await agent.restore(agent.sessionId, checkpoints[1]!.seq);
    expect(await agent.messages()).toEqual(full.slice(0, 4));
  });
});

const [{ create }] = agentStores as [(typeof agentStores)[number]];

describe("a compaction", () => {
  test("that another process's append overtakes conflicts, and its summary is not in the log", async () => {
    const open = create();
    const store = open();
    const agent: LiteAgent = await spoken(open, {
      compactor: {
        id: "slow",
        async summarize() {
          await store.append(agent.sessionId, [{ type: "user", content: "me too" }]);
          return "a summary";
        },
      },
    });
    const last = await logOf(store, agent.sessionId);
    await expect(all(agent.compact())).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await logOf(store, agent.sessionId)).length).toBe(last.length + 1);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no quota")), /no quota/],
    ["gives nothing", () => Promise.resolve(" \n"), /wanted a summary/],
  ])(
    "whose compactor %s ends with an error and changes nothing",
    async (_what, summarize, message) => {
      const open = create();
      const agent = await spoken(open, { compactor: { id: "bad", summarize } });
      const before = await logOf(open(), agent.sessionId);
      const heard: AgentEvent[] = [];
      agent.subscribe((event) => void heard.push(event));
      const seen: CompactionEvent[] = [];
      const run = async (): Promise<void> => {
        for await (const event of agent.compact()) seen.push(event);
      };
      await expect(run()).rejects.toThrow(message);
      expect(seen.at(-1)).toMatchObject({
        phase: "error",
        message: expect.stringMatching(message),
      });
      expect(heard).toEqual(seen);
      expect(await logOf(open(), agent.sessionId)).toEqual(before);
    },
  );

  test("refuses runs while it lasts, and leaving its loop cancels it for listeners too", async () => {
    const open = create();
    const agent = await spoken(open);
    const before = await logOf(open(), agent.sessionId);
    const heard: AgentEvent[] = [];
    agent.subscribe((event) => void heard.push(event));
    for await (const event of agent.compact()) {
      await expect(agent.send("now")).rejects.toMatchObject({ code: "AGENT_BUSY" });
      await expect(agent.restore(agent.sessionId, 1)).rejects.toMatchObject({ code: "AGENT_BUSY" });
      await expect(all(agent.compact())).rejects.toMatchObject({ code: "AGENT_BUSY" });
      if (event.stage === "summarize") break;
    }
    expect(heard.at(-1)).toMatchObject({ type: "compaction", phase: "cancelled" });
    expect(await logOf(open(), agent.sessionId)).toEqual(before);
    expect((await agent.send("go on")).text).toBe("later");
  });

  test("notices a log that no longer gives the same conversation", async () => {
    const open = create();
    const store = open();
    const agent = await spoken(open);
    const run = async (): Promise<void> => {
      for await (const event of agent.compact()) {
        if (event.stage === "measure") await store.truncate(agent.sessionId, 3);
      }
    };
    await expect(run()).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    expect(await store.head(agent.sessionId)).toBe(3);
  });

  test("says whether tokens were counted by the vendor or estimated", async () => {
    const usage = { inputTokens: 900, outputTokens: 100 };
    const agent = testAgent(temporaryDirectory(), create()(), [
      { text: "one", usage },
      { text: "two" },
    ]);
    const measured = async (): Promise<CompactionEvent["tokens"]> => {
      for await (const event of agent.compact())
        if (event.tokens !== undefined) return event.tokens;
      return undefined;
    };
    await agent.send("hello");
    expect(await measured()).toEqual({ count: 1_000, by: "measured" });
    await agent.send("again");
    const after = await measured();
    expect(after).toMatchObject({ by: "estimated" });
    expect(after!.count).toBeGreaterThan(1_000);
  });
});

describe("modelCompactor()", () => {
  const request: SummaryRequest = {
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    instructions: "keep names",
  };
  const signal = new AbortController().signal;

  test("asks the model with the conversation and the instructions", async () => {
    const model = scriptedModel([({ messages }) => ({ text: `S: ${JSON.stringify(messages)}` })]);
    const summary = await modelCompactor({ model, modelName: "m" }).summarize(request, signal);
    expect(summary).toMatch(/^S: .*hello.*keep names/);
    expect(summary.match(/"role"/g)).toHaveLength(1);
  });

  test.each(["max_tokens", "refusal", "tool_use"] as const)(
    "takes no summary that ended with %s",
    async (stop) => {
      const model = scriptedModel([{ text: "half of", stop }]);
      const summary = modelCompactor({ model, modelName: "m" }).summarize(request, signal);
      await expect(summary).rejects.toMatchObject({ code: "MODEL_FAILED" });
    },
  );
});
