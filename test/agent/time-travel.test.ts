/**
 * Goal: whatever a person does, files and conversation are what an obvious model of them says. Method: random
 * sequences of edits, prompts, restores, compactions and restarts over real files; after each step the directory, the
 * folded conversation and the list of checkpoints are compared with the model's.
 */
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { summaryHeading } from "../../agent/conversation.ts";
import type { LiteAgent } from "../../agent/lite-agent.ts";
import type { ScriptedStep, ScriptedToolCall } from "../../agent/providers/scripted-model.ts";
import { call, filesBelow, testAgent, turnOf } from "../../agent/testing/test-agent.ts";
import { sha256 } from "../../agent/sha256.ts";
import type { Checkpointer } from "../../src/index.ts";
import { fuzz } from "../contract/fuzz.ts";
import { agentStores, cleanUp, temporaryDirectory } from "./agent-stores.ts";

afterEach(cleanUp);

type Edit = { readonly name: string; readonly content: Uint8Array | null };
type Command =
  | { readonly do: "prompt"; readonly edits: readonly Edit[] }
  | {
      readonly do: "restore";
      readonly to: number;
      readonly files: boolean;
      readonly conversation: boolean;
      readonly keep: boolean;
    }
  | { readonly do: "back and forward"; readonly to: number }
  | { readonly do: "compact" | "restart" }
  | { readonly do: "neighbour"; readonly content: Uint8Array };

/** Files by name, as bytes; what was said, in short; and where one can go back to. */
interface Model {
  files: Map<string, Uint8Array>;
  said: string[];
  /** How many of `said` the newest summary stands for. */
  summarized: number;
  places: Array<Pick<Model, "files" | "said" | "summarized">>;
}

const contents = [
  Buffer.from(""),
  Buffer.from("one\n"),
  Buffer.from("\ufefftwo\r\n"),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  Buffer.from([0x93, 0xfa, 0x5c]),
  Buffer.from("three ".repeat(200)),
];
const content = fc.constantFrom(...contents);
const edit: fc.Arbitrary<Edit> = fc.record({
  name: fc.constantFrom("a", "b.txt", "dir/c", "dir/deep/d"),
  content: fc.option(content, { freq: 4 }),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("prompt" as const),
      edits: fc.array(edit, { maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      to: fc.nat(),
      files: fc.boolean(),
      conversation: fc.boolean(),
      keep: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("back and forward" as const), to: fc.nat() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("compact" as const, "restart" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("neighbour" as const), content }) },
);

const neighbour = "dir of somebody else.txt";
const copy = ({ files, said, summarized }: Model): Model["places"][number] => ({
  files: new Map(files),
  said: [...said],
  summarized,
});

/** Plays commands on a real agent and on the model, and compares after each. */
async function play(open: () => Checkpointer, commands: readonly Command[]): Promise<void> {
  const workdir = temporaryDirectory();
  const store = open();
  const model: Model = { files: new Map(), said: [], summarized: 0, places: [] };
  const script: ScriptedStep[] = [];
  const start = (): LiteAgent => testAgent(workdir, store, stepsOf(script));
  let agent = start();
  let neighbourContent: Uint8Array = Buffer.from("mine");
  writeFileSync(join(workdir, neighbour), neighbourContent);
  let prompts = 0;

  async function run(one: Command): Promise<void> {
    switch (one.do) {
      case "prompt": {
        const text = `prompt ${++prompts}`;
        model.places.push(copy(model));
        const calls = one.edits.map((wanted) => apply(model.files, wanted));
        script.push(...turnOf(calls, `answer ${prompts}`));
        model.said.push(text, ...calls.map(({ name }) => name), `answer ${prompts}`);
        await agent.send(text);
        return;
      }
      case "restore":
      case "back and forward": {
        if (model.places.length === 0) return;
        const at = one.to % model.places.length;
        const checkpoints = await agent.listCheckpoints(agent.sessionId);
        if (one.do === "back and forward") {
          await thereAndBack(checkpoints[at]!.seq);
          return;
        }
        if (!one.files && !one.conversation) return;
        const result = await agent.restore(agent.sessionId, checkpoints[at]!.seq, one);
        const target = model.places[at]!;
        const before = copy(model);
        if (one.files) model.files = new Map(target.files);
        if (one.conversation) {
          model.said = [...target.said];
          model.summarized = target.summarized;
          model.places.length = at;
        } else {
          if (result.restoredFiles.length === 0) return;
          model.places.push(before);
          model.said.push("restored");
        }
        return;
      }
      case "compact": {
        const anythingNew = model.said.length > model.summarized;
        let changed: boolean | undefined;
        for await (const event of agent.compact()) changed = event.changed;
        expect(changed).toBe(anythingNew);
        if (!anythingNew) return;
        model.said = ["summary"];
        model.summarized = 1;
        return;
      }
      case "restart": {
        const { sessionId } = agent;
        await agent.close();
        agent = start();
        if (model.places.length > 0 || model.said.length > 0) {
          if ((await store.head(sessionId)) > 0) await agent.resume(sessionId);
        }
        return;
      }
      case "neighbour":
        neighbourContent = one.content;
        writeFileSync(join(workdir, neighbour), neighbourContent);
    }
  }

  /** Goes back, and forward again by the branch: nothing has changed but the session's name. */
  async function thereAndBack(seq: number): Promise<void> {
    const { branchId } = await agent.restore(agent.sessionId, seq);
    const forward = await agent.listCheckpoints(branchId!);
    await agent.restore(branchId!, forward.at(-1)!.seq, { keep: false });
    await agent.resume(branchId!);
  }

  for (const one of commands) {
    await run(one);
    const files = new Map([...model.files, [neighbour, neighbourContent]]);
    expect(hashes(filesBelow(workdir))).toEqual(
      Object.fromEntries(
        [...files].sort(byName).map(([name, bytes]) => [name, sha256(bytes).slice(0, 16)]),
      ),
    );
    expect(await saidTo(agent)).toEqual(model.said);
    if (model.places.length === 0) continue;
    const checkpoints = await agent.listCheckpoints(agent.sessionId);
    expect(checkpoints).toHaveLength(model.places.length);
  }
  await agent.close();
}

/** Steps that are taken from the front as they are asked for. */
function stepsOf(script: ScriptedStep[]): ScriptedStep[] {
  return Array.from({ length: 500 }, () => (request, signal) => {
    const step = script.shift()!;
    return typeof step === "function" ? step(request, signal) : step;
  });
}

/** Changes the model's files, and says which tool call does that to real ones. */
function apply(files: Map<string, Uint8Array>, { name, content: next }: Edit): ScriptedToolCall {
  if (next === null) {
    files.delete(name);
    return call.remove(name);
  }
  files.set(name, next);
  return call.write(name, next);
}

/** What the model is told, in short. */
async function saidTo(agent: LiteAgent): Promise<string[]> {
  const messages = await agent.messages();
  return messages.flatMap(({ content: blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === "tool_use") return [String(block["name" as never])];
      if (block.type !== "text") return [];
      const text = String(block["text" as never]);
      if (text.startsWith(summaryHeading)) return ["summary"];
      return [text.startsWith("These files were put back") ? "restored" : text];
    }),
  );
}

function hashes(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files)
      .sort(byName)
      .map(([name, text]) => [name, text.split(" ")[0]!]),
  );
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

const runsOver: Readonly<Record<string, number>> = { memory: 150, file: 15, sqlite: 15 };

describe.each(agentStores)("over $name", ({ name, create }) => {
  test("files and conversation are what an obvious model says", async () => {
    const check = fc.asyncProperty(fc.array(command, { maxLength: 14 }), async (commands) => {
      try {
        await play(create(), commands);
      } finally {
        await cleanUp();
      }
    });
    await fc.assert(check, fuzz(runsOver[name] ?? 8));
  });
});
