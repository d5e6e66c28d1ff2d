// Goal: two processes on one session get a conflict, not a tangle: nothing acknowledged is lost, and files and
// conversation belong together. Method: real processes that do one thing at a time, and wait in the middle of it.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reapChildren, startChild, type Child } from "../processes/children.ts";
import { makeFastTempDir, removeTempDir } from "../processes/store-state.ts";
import type { AgentOrder, AgentReply, Request } from "./agent-child.ts";
import { makeTemplate, openScene, runTask, type Look, type Template } from "./kill-sweep.ts";
import { damageIn, eventsOf, filesIn, workdirIn, type StorePlace } from "./scene.ts";

let root: string;

beforeAll(() => void (root = makeFastTempDir()));
afterAll(() => {
  reapChildren();
  removeTempDir(root);
});

const places: ReadonlyArray<{ readonly name: string; readonly place: StorePlace }> = [
  { name: "file", place: { adapter: "file" } },
  { name: "SQLite", place: { adapter: "sqlite" } },
];

/** An agent in a process of its own. */
interface RemoteAgent extends AsyncDisposable {
  /** The next answer; what an agent rejects with is in it. */
  readonly ask: (request: Request) => Promise<AgentReply>;
  /** Asks without waiting; `answer` gives what comes next. */
  readonly begin: (request: Request) => void;
  readonly answer: () => Promise<AgentReply>;
}

async function openRemote(directory: string, { place, sessionId }: Template): Promise<RemoteAgent> {
  const order: AgentOrder = { directory, place, sessionId };
  const child: Child = startChild("../agent/agent-child", order);
  expect(await child.message<AgentReply>()).toEqual({ ready: true });
  return {
    ask(request) {
      child.send(request);
      return child.message();
    },
    begin: (request) => child.send(request),
    answer: () => child.message(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exit;
    },
  };
}

async function copyOf(template: Template, name: string): Promise<string> {
  const directory = join(root, name);
  cpSync(template.directory, directory, { recursive: true });
  return directory;
}

test.each(places)(
  "$name: a process whose session somebody else went on with gets a conflict, resumes, and goes on",
  async ({ name, place }) => {
    const template = await makeTemplate(root, `${name} conflict`, place);
    const { sessionId } = template;
    const directory = await copyOf(template, `${name} conflict copy`);
    {
      await using one = await openRemote(directory, template);
      await using other = await openRemote(directory, template);
      expect(await one.ask({ do: "resume" })).toEqual({ done: true });
      one.begin({ do: "send", prompt: "Write slowly.", path: "slow.txt", waits: true });
      expect(await one.answer()).toEqual({ waiting: true });
      // The other one takes the session over: it closes the call that is under way.
      expect(await other.ask({ do: "resume" })).toEqual({ done: true });
      expect(await other.ask({ do: "send", prompt: "Quickly.", path: "quick.txt" })).toEqual({
        done: true,
      });
      expect(await one.ask({ do: "proceed" })).toMatchObject({ code: "CONFLICT" });
      expect(await one.ask({ do: "resume" })).toEqual({ done: true });
      expect(await one.ask({ do: "send", prompt: "Again.", path: "again.txt" })).toEqual({
        done: true,
      });
      // Nobody told this one; its next turn finds out by itself.
      expect(await other.ask({ do: "send", prompt: "And on.", path: "on.txt" })).toEqual({
        done: true,
      });
    }
    await using scene = await openScene(directory, template);
    const prompts = (await scene.agent.listCheckpoints(sessionId)).map(({ prompt }) => prompt);
    expect(prompts.slice(3)).toEqual(["Write slowly.", "Quickly.", "Again.", "And on."]);
    expect(Object.keys(filesIn(workdirIn(directory)))).toEqual(
      expect.arrayContaining(["again.txt", "on.txt", "quick.txt"]),
    );
    expect(Object.keys(filesIn(workdirIn(directory)))).not.toContain("slow.txt");
    expect(await damageIn(scene.store)).toEqual([]);
  },
);

test.each(places)(
  "$name: a restore in one process stops the turn of another one before it changes a file",
  async ({ name, place }) => {
    const template = await makeTemplate(root, `${name} mid-turn`, place);
    const { sessionId, seqs, looks } = template;
    const [, past] = looks as readonly [Look, Look];
    const directory = await copyOf(template, `${name} mid-turn copy`);
    let branch = "";
    {
      await using one = await openRemote(directory, template);
      await using other = await openRemote(directory, template);
      expect(await one.ask({ do: "resume" })).toEqual({ done: true });
      one.begin({ do: "send", prompt: "Write slowly.", path: "slow.txt", waits: true });
      expect(await one.answer()).toEqual({ waiting: true });
      const restored = await other.ask({ do: "restore", seq: seqs[1] ?? 0 });
      expect(restored).toMatchObject({ done: true });
      branch = "branchId" in restored ? (restored.branchId ?? "") : "";
      expect(await one.ask({ do: "proceed" })).toMatchObject({ code: "CONFLICT" });
    }
    await using scene = await openScene(directory, template);
    expect(await scene.look()).toEqual(past);
    // What the other process had been told is durable is in the branch.
    const kept = await eventsOf(scene.store, branch);
    expect(kept).toContainEqual({ type: "user", content: "Write slowly.", origin: "input" });
    expect(await scene.branches()).toEqual([branch]);
    await scene.agent.resume(sessionId);
    expect(await damageIn(scene.store)).toEqual([]);
  },
);

test.each(places)(
  "$name: of two processes that resume an interrupted restore at once, at least one finishes it, and no other harm is done",
  async ({ name, place }) => {
    const template = await makeTemplate(root, `${name} both`, place);
    const { seqs, looks } = template;
    const [, past] = looks as readonly [Look, Look];
    const task = { do: "restore", seq: seqs[1] ?? 0, options: {} } as const;
    const { note } = await runTask(root, `${name} both counted`, template, task, null);
    const links = (note?.files ?? []).flatMap((call, index) =>
      call === "link" ? [index + 1] : [],
    );
    const kill = { what: "file", at: links[2] ?? 0, act: "kill" } as const;
    for (let round = 0; round < 2; round += 1) {
      const where = `${name} both ${round}`;
      const { directory, killed } = await runTask(root, where, template, task, kill);
      expect(killed).toBe(true);
      {
        await using one = await openRemote(directory, template);
        await using other = await openRemote(directory, template);
        const replies = await Promise.all([one, other].map((agent) => agent.ask({ do: "resume" })));
        const outcomes = replies.map((reply) => ("code" in reply ? reply.code : "done"));
        // Whoever is late is told so.
        expect(outcomes).toContain("done");
        expect(["done", "CONFLICT"]).toEqual(expect.arrayContaining(outcomes));
      }
      await using scene = await openScene(directory, template);
      expect(await scene.look(), where).toEqual(past);
      expect(await scene.branches(), where).toHaveLength(1);
      expect(await damageIn(scene.store), where).toEqual([]);
    }
  },
);
