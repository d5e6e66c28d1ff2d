/**
 * Goal: real transcripts of three shapes become sessions that hold the same conversation and lose nothing.
 * Method: every sample is imported and folded, and compared with a fold of the file itself that is written
 * the obvious way here; then it goes through stores, plain and sealed, and comes back equal.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../../adapters/sqlite/index.ts";
import { aesGcm, compress, generateKey, keyRing, pipeline } from "../../codecs/index.ts";
import type { Checkpointer, SessionEvent } from "../../src/index.ts";
import { pathsBelow } from "../../test/paths-below.ts";
import { createLiteAgent } from "../lite-agent.ts";
import { isToolResult, isToolUse } from "../message.ts";
import { scriptedModel } from "../providers/scripted-model.ts";
import { collect } from "../testing/collect.ts";
import { importChatMessages } from "./chat-messages.ts";
import { importClaudeCode } from "./claude-code.ts";
import { importCodex } from "./codex.ts";

/* oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-return -- the samples have the shapes their vendors gave them */

/** One thing that was said, called or answered. */
interface Said {
  readonly role: string;
  text: string;
  tools: string[];
}

interface Sample {
  readonly name: string;
  readonly records: any[];
  readonly events: () => Promise<SessionEvent[]>;
  readonly conversation: (records: any[]) => Said[];
}

const samples = fileURLToPath(new URL("../../../shared/data/sessions", import.meta.url));

const textOf = (content: any): string => {
  if (typeof content === "string") return content;
  const texts = Array.isArray(content) ? content.map(({ text }: any) => text) : [];
  return texts.filter((text: unknown) => typeof text === "string").join("");
};

/** What the events say, in order; a summary replaces what came before it. */
function fold(events: readonly any[]): Said[] {
  let said: Said[] = [];
  for (const { type, content, callId, output, summary } of events) {
    if (type === "summary") said = [{ role: "summary", text: summary, tools: [] }];
    if (type === "user") said.push({ role: "user", text: textOf(content), tools: [] });
    if (type === "tool_result") said.push({ role: "tool", text: textOf(output), tools: [callId] });
    if (type === "assistant") {
      const uses =
        typeof content === "string" ? [] : content.filter((b: any) => b.type === "tool_use");
      said.push({ role: "assistant", text: textOf(content), tools: uses.map(({ id }: any) => id) });
    }
  }
  return said;
}

/** The parts of an answer grow the entry that its first part made. */
function claudeConversation(records: any[]): Said[] {
  const messages = records.filter(({ type }) => type === "user" || type === "assistant");
  const hasMain = messages.some(({ isSidechain }) => isSidechain !== true);
  let said: Said[] = [];
  let current: { id: string; entry: Said } | undefined;
  for (const record of messages) {
    const { type, message, isSidechain, isApiErrorMessage, isCompactSummary } = record;
    const content = message?.content;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (!blocks?.every?.((block: any) => typeof block.type === "string")) continue;
    if ((hasMain && isSidechain) || isApiErrorMessage) continue;
    const results = blocks.filter((b: any) => b.type === "tool_result");
    if (isCompactSummary) {
      said = [{ role: "summary", text: textOf(content), tools: [] }];
      current = undefined;
    } else if (type === "assistant") {
      const grows = message.id !== undefined && current?.id === message.id;
      const entry: Said = grows ? current!.entry : { role: "assistant", text: "", tools: [] };
      if (!grows) said.push(entry);
      current = { id: message.id, entry };
      entry.text += textOf(blocks);
      const uses = blocks.filter((b: any) => b.type === "tool_use");
      entry.tools.push(...uses.map(({ id }: any) => id));
    } else {
      if (results.length === 0) current = undefined;
      for (const { tool_use_id: id, content: output } of results) {
        if (id !== undefined) said.push({ role: "tool", text: textOf(output), tools: [id] });
        else said.push({ role: "user", text: "", tools: [] });
      }
      if (results.length === 0) said.push({ role: "user", text: textOf(blocks), tools: [] });
    }
  }
  return said;
}

/** What the model makes without anything in between is one answer. */
function codexConversation(records: any[]): Said[] {
  let said: Said[] = [];
  const answer = (): Said => {
    const last = said.at(-1);
    if (last?.role === "assistant") return last;
    said.push({ role: "assistant", text: "", tools: [] });
    return said.at(-1)!;
  };
  for (const { type, payload = {} } of records) {
    if (type === "compacted") {
      const history = (payload.replacement_history ?? []).filter(
        (item: any) => item.type === "message" && item.role !== "developer",
      );
      const texts = history.flatMap(({ content }: any) => content.map(({ text }: any) => text));
      const text = texts.filter(Boolean).join("\n\n") || payload.message;
      said = [{ role: "summary", text, tools: [] }];
    }
    if (type !== "response_item") continue;
    const { role, content, call_id: id, output } = payload;
    if (payload.type === "message" && role === "assistant") answer().text += textOf(content);
    else if (payload.type === "message")
      said.push({ role: "user", text: textOf(content), tools: [] });
    else if (payload.type === "reasoning") answer();
    else if (/^(function|custom_tool)_call$/.test(payload.type)) answer().tools.push(id);
    else if (/^(function|custom_tool)_call_output$/.test(payload.type)) {
      said.push({ role: "tool", text: textOf(output), tools: [id] });
    }
  }
  return said;
}

function chatConversation(messages: any[]): Said[] {
  return messages.map(
    ({ role, content, tool_calls: calls, tool_call_id: id, tool_call_ids: ids }) => ({
      role: role === "system" ? "user" : role,
      text: textOf(content),
      tools: role === "tool" ? [id ?? ids[0]] : (calls ?? []).map((call: any) => call.id),
    }),
  );
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}

function lineSample(
  folder: string,
  importer: typeof importCodex,
  conversation: Sample["conversation"],
): Sample[] {
  return pathsBelow(join(samples, folder))
    .filter((path) => path.endsWith(".jsonl"))
    .map((path) => {
      const lines = readFileSync(path, "utf8").split("\n");
      const filled = lines.filter((line) => line.trim() !== "");
      return {
        name: relative(samples, path),
        records: filled.map((line) => JSON.parse(line)),
        events: once(() => collect(importer(() => lines))),
        conversation,
      };
    });
}

function chatSample(name: string, messages: any[]): Sample {
  return {
    name,
    records: messages,
    events: once(() => collect(importChatMessages(messages))),
    conversation: chatConversation,
  };
}

function chatSamples(): Sample[] {
  const read = (path: string): string => readFileSync(resolve(samples, path), "utf8");
  const trajectories = pathsBelow(join(samples, "swe-agent")).map((path) => {
    const whole = JSON.parse(read(path));
    return chatSample(relative(samples, path), Array.isArray(whole) ? whole : whole.history);
  });
  const tuning = read("swe-smith/ft_xml_example.jsonl").trim().split("\n");
  const requests = ["2025-05-12T20-27-36-04-00_browser.json", "log_images_tc.json"].flatMap(
    (path) => {
      const { samples: runs } = JSON.parse(read(`inspect-ai/${path}`));
      const events = runs.flatMap((run: any) => run.events ?? run.transcript.events);
      const lists = events.map((event: any) => event.call?.request?.messages);
      return lists
        .filter((list: any) => list?.length > 0)
        .map((list: any, at: number) => chatSample(`inspect-ai/${path}, request ${at + 1}`, list));
    },
  );
  return [
    ...trajectories,
    ...tuning.map((line, at) => chatSample(`swe-smith, line ${at + 1}`, JSON.parse(line).messages)),
    ...requests,
  ];
}

function allSamples(): Sample[] {
  if (!existsSync(samples)) {
    process.stderr.write("sample sessions are not here: importing them is not tested\n");
    return [];
  }
  const claude = ["spotter", "viewer", "log", "transcripts"].map((name) => `claude-code-${name}`);
  return [
    ...[...claude, "agent-sessions/claude"].flatMap((folder) =>
      lineSample(folder, importClaudeCode, claudeConversation),
    ),
    ...["agent-sessions/codex", "codex-oss"].flatMap((folder) =>
      lineSample(folder, importCodex, codexConversation),
    ),
    ...chatSamples(),
  ];
}

/** Calls that nobody answered, and answers nobody asked for. */
function unmatched(said: readonly Said[]): string[] {
  const answered = new Set(
    said.filter(({ role }) => role === "tool").flatMap(({ tools }) => tools),
  );
  const called = said.filter(({ role }) => role === "assistant").flatMap(({ tools }) => tools);
  return called.filter((id) => !answered.has(id));
}

const promptsOf = (events: readonly SessionEvent[]): number =>
  events.filter((event) => event.type === "user" && event.origin === "input").length;

const recordsOf = (events: readonly any[]): any[] =>
  events.flatMap(({ imported }) => imported.records).sort((a: any, b: any) => a.line - b.line);

const all = allSamples();
const totals = { files: 0, records: 0, events: 0, messages: 0, prompts: 0, unanswered: 0 };
const folder = mkdtempSync(join(tmpdir(), "ckpt-importers-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
  if (all.length > 0) process.stdout.write(`imported samples: ${JSON.stringify(totals)}\n`);
});

describe.skipIf(all.length === 0)("an imported sample", () => {
  it.each(all)("$name folds to the conversation of its file", async (sample) => {
    const events = await sample.events();
    const said = fold(events);
    expect(said).toEqual(sample.conversation(sample.records));
    expect(new Set(events.map(({ type }) => type))).not.toContain("claude-code:abandoned");
    totals.files += 1;
    totals.events += events.length;
    totals.messages += said.length;
    totals.unanswered += unmatched(said).length;
    totals.prompts += promptsOf(events);
  });

  it.each(all)("$name keeps every record once", async ({ records, events }) => {
    const kept = recordsOf(await events());
    expect(kept).toHaveLength(records.length);
    totals.records += kept.length;
    for (const [index, { value }] of kept.entries()) {
      const record = records[index];
      // Content is left out where the event holds it; everything else is as it was.
      const { content: _content, ...rest } = record;
      const { content: _inner, ...message } = record.message ?? {};
      expect([record, rest, { ...record, message }]).toContainEqual(value);
    }
  });
});

describe.skipIf(all.length === 0)("an agent", () => {
  it.each(all)("goes on with $name", async ({ name, events }) => {
    const checkpointer = memoryCheckpointer();
    const given = await events();
    await checkpointer.append(name, given);
    const model = scriptedModel([{ text: "Done." }]);
    const options = { model, modelName: "scripted", workdir: folder, checkpointer };
    const agent = createLiteAgent(options);
    await agent.resume(name);
    await agent.send("Go on.");
    const messages = await agent.messages();
    expect(messages.map(({ role }) => role)).toEqual(
      messages.map((_, index) => (index % 2 === 0 ? "user" : "assistant")),
    );
    for (const [index, { content }] of messages.entries()) {
      const called = content.filter(isToolUse).map(({ id }) => id);
      const answered = (messages[index + 1]?.content ?? []).filter(isToolResult);
      expect(answered.map(({ tool_use_id: id }) => id)).toEqual(called);
    }
    expect(await agent.listCheckpoints(name)).toHaveLength(promptsOf(given) + 1);
    await agent.close();
  });
});

/** Read and counted by hand. */
const prompts: ReadonlyArray<[file: string, typed: number]> = [
  ["claude-code-viewer/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl", 2],
  ["claude-code-viewer/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl", 1],
  ["claude-code-log/edge_cases.jsonl", 4],
  ["claude-code-log/representative_messages.jsonl", 4],
  ["claude-code-transcripts/sample_session.jsonl", 2],
  ["agent-sessions/codex/large.jsonl", 6],
  ["agent-sessions/codex/small.jsonl", 1],
];

describe.skipIf(all.length === 0)("the prompts of an imported sample", () => {
  it.each(prompts)("%s has %i", async (file, typed) => {
    const events = await all.find(({ name }) => name === file)!.events();
    expect(promptsOf(events)).toBe(typed);
  });
});

const codec = pipeline(compress(), aesGcm({ keys: keyRing({ primary: generateKey() }) }));
const stores: Array<[string, () => Checkpointer]> = [
  ["memory", () => memoryCheckpointer()],
  ["memory, sealed", () => memoryCheckpointer({ codec })],
  ["sqlite", () => sqliteCheckpointer({ file: join(folder, "plain.db") })],
  ["sqlite, sealed", () => sqliteCheckpointer({ file: join(folder, "sealed.db"), codec })],
];

describe.skipIf(all.length === 0)("imported samples", () => {
  it.each(stores)("come back equal from %s", async (_name, open) => {
    const store = open();
    for (const { name, events } of all) {
      const given = await events();
      await store.append(name, given);
      const read = await collect(store.read(name));
      // What is undefined counts as absent in a log.
      expect(read.map(({ event }) => event)).toEqual(JSON.parse(JSON.stringify(given)));
      expect(fold(read.map(({ event }) => event))).toEqual(fold(given));
    }
    await store.close();
  });
});
