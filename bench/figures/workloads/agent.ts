import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileCheckpointer } from "../../../adapters/file/index.ts";
import { memoryCheckpointer } from "../../../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import { createLiteAgent, type ModelChunk, type ModelProvider } from "../../../agent/index.ts";
import { openSessionLog } from "../../../agent/session-log.ts";
import type { Checkpointer, SessionEvent } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import type { Comparison, Contestant, Workload } from "../workload.ts";

const events = agentEvents(50);

function openStores(folder: string): ReadonlyArray<readonly [string, Checkpointer]> {
  return [
    ["memory", memoryCheckpointer()],
    ["file process", fileCheckpointer({ dir: join(folder, "file"), durability: "process" })],
    ["SQLite NORMAL", sqliteCheckpointer({ file: join(folder, "a.db") })],
  ];
}

/** One append, awaited, through the session layer beside the same on the checkpointer. */
export const agentAppend: Workload = {
  name: "agent-append",
  async prepare(folder) {
    const stores = openStores(folder);
    const contestants: Contestant[] = [];
    const comparisons: Comparison[] = [];
    for (const [name, store] of stores) {
      // A session of its own for each turn: the conversation of a measured one would grow for ever.
      let session = 0;
      contestants.push({
        name: `${name} layer`,
        operations: events.length,
        async run() {
          const log = await openSessionLog(store, `layer-${session++}`);
          for (const event of events) await log.append([event]);
        },
      });
      contestants.push({
        name: `${name} bare`,
        operations: events.length,
        async run() {
          const id = `bare-${session++}`;
          // What the layer insists on as well.
          let token = await store.headToken(id);
          for (const event of events) {
            const head = await store.append(id, [event], token);
            token = head === 1 ? await store.headToken(id) : tokenAt(token, head);
          }
        },
      });
      comparisons.push({
        what: `${name}, append 1 to a session of 50: session layer / checkpointer`,
        subject: `${name} layer`,
        floor: `${name} bare`,
      });
    }
    const close = async (): Promise<void> => {
      for (const [, store] of stores) await store.close();
    };
    return { contestants, comparisons, close };
  },
};

function tokenAt(token: string, head: number): `${string}:${number}` {
  return `${token.slice(0, token.lastIndexOf(":"))}:${head}`;
}

const calls = 10;

/** A model that asks ten times for a file to be read, and is done. */
const readingModel: ModelProvider = {
  id: "scripted",
  async *stream({ messages }): AsyncGenerator<ModelChunk> {
    // Prompt, then two messages a call.
    const step = (messages.length - 1) / 2;
    if (step < calls) {
      yield { type: "text", text: "The date is parsed as midnight UTC. " };
      yield { type: "tool_use", id: `call-${step}`, name: "look", input: { path: "a.ts" } };
    } else yield { type: "text", text: "Done." };
    yield { type: "stop", reason: step < calls ? "tool_use" : "end" };
  },
};

/** A whole turn of an agent without the model's time, beside the appends it makes. */
export const agentTurn: Workload = {
  name: "agent-turn",
  async prepare(folder) {
    const stores = openStores(folder);
    mkdirSync(join(folder, "work"));
    const workdir = realpathSync(join(folder, "work"));
    const output = JSON.stringify(events[0]);
    const tool = {
      name: "look",
      description: "Looks",
      inputSchema: { type: "object" } as const,
      run: () => Promise.resolve(output),
    };
    const contestants: Contestant[] = [];
    const comparisons: Comparison[] = [];
    for (const [name, store] of stores) {
      const agent = createLiteAgent({
        model: readingModel,
        modelName: "scripted",
        workdir,
        checkpointer: store,
        tools: [tool],
      });
      await agent.send("Look around.");
      const same: SessionEvent[] = [];
      for await (const { event } of store.read(agent.sessionId)) same.push(event);
      let session = 0;
      contestants.push({
        name: `${name} turn`,
        operations: same.length,
        async run() {
          agent.clear();
          await agent.send("Look around.");
        },
      });
      contestants.push({
        name: `${name} appends`,
        operations: same.length,
        async run() {
          const id = `bare-${session++}`;
          for (const event of same) await store.append(id, [event]);
        },
      });
      comparisons.push({
        what: `${name}, a turn of ${same.length} events, per event / the same appends`,
        subject: `${name} turn`,
        floor: `${name} appends`,
      });
    }
    const close = async (): Promise<void> => {
      for (const [, store] of stores) await store.close();
    };
    return { contestants, comparisons, close };
  },
};
