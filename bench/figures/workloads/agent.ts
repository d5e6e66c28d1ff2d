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

/** A store for the layer and one without it, each alone: where a session lies in a database matters. */
function openStores(
  folder: string,
): ReadonlyArray<readonly [name: string, layered: Checkpointer, bare: Checkpointer]> {
  const openFile = (name: string): Checkpointer =>
    fileCheckpointer({ dir: join(folder, name), durability: "process" });
  const openDatabase = (name: string): Checkpointer =>
    sqliteCheckpointer({ file: join(folder, `${name}.db`) });
  return [
    ["memory", memoryCheckpointer(), memoryCheckpointer()],
    ["file process", openFile("layered"), openFile("bare")],
    ["SQLite NORMAL", openDatabase("layered"), openDatabase("bare")],
  ];
}

/** One append, awaited, through the session layer beside the same on the checkpointer. */
export const agentAppend: Workload = {
  name: "agent-append",
  async prepare(folder) {
    const stores = openStores(folder);
    const contestants: Contestant[] = [];
    const comparisons: Comparison[] = [];
    for (const [name, layered, bare] of stores) {
      const log = await openSessionLog(layered, "s");
      contestants.push({
        name: `${name} layer`,
        operations: events.length,
        async run() {
          for (const event of events) await log.append([event]);
        },
      });
      // What the layer insists on as well.
      let token = await bare.headToken("s");
      contestants.push({
        name: `${name} bare`,
        operations: events.length,
        async run() {
          for (const event of events) {
            const head = await bare.append("s", [event], token);
            token =
              head === 1
                ? await bare.headToken("s")
                : `${token.slice(0, token.lastIndexOf(":"))}:${head}`;
          }
        },
      });
      comparisons.push({
        what: `${name}, append 1: session layer / checkpointer`,
        subject: `${name} layer`,
        floor: `${name} bare`,
      });
    }
    const close = async (): Promise<void> => {
      for (const store of stores.flatMap(([, ...both]) => both)) await store.close();
    };
    return { contestants, comparisons, close };
  },
};

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
    for (const [name, layered, bare] of stores) {
      const agent = createLiteAgent({
        model: readingModel,
        modelName: "scripted",
        workdir,
        checkpointer: layered,
        tools: [tool],
      });
      await agent.send("Look around.");
      const same: SessionEvent[] = [];
      for await (const { event } of layered.read(agent.sessionId)) same.push(event);
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
          for (const event of same) await bare.append(id, [event]);
        },
      });
      comparisons.push({
        what: `${name}, a turn of ${same.length} events, per event / the same appends`,
        subject: `${name} turn`,
        floor: `${name} appends`,
      });
    }
    const close = async (): Promise<void> => {
      for (const store of stores.flatMap(([, ...both]) => both)) await store.close();
    };
    return { contestants, comparisons, close };
  },
};
