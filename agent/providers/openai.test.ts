/**
 * Goal: what is peculiar to OpenAI's Chat Completions API: how messages are translated, and what other
 * servers that speak it make of it.
 */
import OpenAI from "openai";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Message } from "../message.ts";
import type { ModelChunk, ModelRequest } from "../model-provider.ts";
import { ask, assistant, requestOf, text, textIn, user } from "../testing/ask.ts";
import { openaiEvent, openaiEvents } from "../testing/vendor-events.ts";
import { startVendorServer, type VendorServer } from "../testing/vendor-server.ts";
import { openai } from "./openai.ts";

let server: VendorServer;

beforeEach(async () => {
  server = await startVendorServer();
});

afterEach(() => server.close());

/** The answer that these events make. */
function read(events: readonly string[], request?: ModelRequest): Promise<ModelChunk[]> {
  server.answer({ pieces: events });
  return ask(openai({ baseURL: server.url, apiKey: "none" }), request);
}

/** The body of the request that these fields make. */
async function bodyOf(fields: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  await read(openaiEvents({ text: "ok" }), requestOf(fields));
  return JSON.parse(server.requests.at(-1)?.body ?? "") as Record<string, unknown>;
}

async function messagesOf(...messages: Message[]): Promise<unknown> {
  return (await bodyOf({ messages }))["messages"];
}

const png = { type: "base64", media_type: "image/png", data: "AA==" };

const pngPart = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };

/** The chunks of an answer whose choice has these deltas. */
function deltas(reason: string, ...all: object[]): string[] {
  const choices = all.map((delta) => ({ index: 0, delta, finish_reason: null }));
  const last = { index: 0, delta: {}, finish_reason: reason };
  return [...choices, last].map((choice) => openaiEvent({ choices: [choice] }));
}

it("openai() sends the model, the limit, the system prompt and the tools", async () => {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } } as const;
  const tools = [{ name: "read", description: "Reads a file.", inputSchema }];
  expect(await bodyOf({ modelName: "gpt", system: "Be brief.", tools, maxTokens: 7 })).toEqual({
    model: "gpt",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello." },
    ],
    tools: [
      {
        type: "function",
        function: { name: "read", description: "Reads a file.", parameters: inputSchema },
      },
    ],
    max_tokens: 7,
    stream_options: { include_usage: true },
    stream: true,
  });
});

it.each([
  ["https://api.openai.com/v1", "max_completion_tokens"],
  ["https://mine.openai.azure.com/openai", "max_completion_tokens"],
  ["https://api.deepseek.com", "max_tokens"],
  ["https://proxy.example/openai.com", "max_tokens"],
  ["https://notopenai.com/v1", "max_tokens"],
])("openai() at %s calls the limit %s", async (baseURL, name) => {
  let body: unknown;
  const client = new OpenAI({
    baseURL,
    apiKey: "none",
    maxRetries: 0,
    fetch: (_url, init) => {
      body = init?.body;
      return Promise.resolve(new Response(openaiEvents({ text: "ok" }).join("")));
    },
  });
  await ask(openai({ client }));
  expect(Object.keys(JSON.parse(body as string) as object)).toContain(name);
});

it("openai() translates text, images, calls and results of tools", async () => {
  const sent = await messagesOf(
    user(text("Look."), { type: "image", source: png }),
    assistant(
      text("I"),
      text(" read."),
      { type: "tool_use", id: "1", name: "read", input: { path: "a" } },
      { type: "tool_use", id: "2", name: "shot", input: {} },
    ),
    user(
      { type: "tool_result", tool_use_id: "1", content: "no such file", is_error: true },
      {
        type: "tool_result",
        tool_use_id: "2",
        content: [
          text("a"),
          { type: "image", source: { type: "url", url: "https://x/y" } },
          text("b"),
        ],
      },
      text("Go on."),
    ),
    assistant({ type: "tool_use", id: "3", name: "read", input: '{"pa' }),
    user({ type: "tool_result", tool_use_id: "3", content: "" }),
  );
  expect(sent).toEqual([
    { role: "user", content: [{ type: "text", text: "Look." }, pngPart] },
    {
      role: "assistant",
      content: "I read.",
      tool_calls: [
        { id: "1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
        { id: "2", type: "function", function: { name: "shot", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "1", content: "Error: no such file" },
    { role: "tool", tool_call_id: "2", content: "a\nb" },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "https://x/y" } },
        { type: "text", text: "Go on." },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "3",
          type: "function",
          function: { name: "read", arguments: '{"unreadable":"{\\"pa"}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "3", content: "" },
  ]);
});

it("openai() leaves out other vendors' blocks, blank text and what is empty then", async () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "x" };
  const sent = await messagesOf(
    user(text("a")),
    assistant(thinking, text(" ")),
    user(text("b"), { type: "document", source: {} }, { type: "image", source: { type: "file" } }),
    assistant(thinking, text("c")),
  );
  expect(sent).toEqual([
    { role: "user", content: "a\nb" },
    { role: "assistant", content: "c" },
  ]);
});

it("openai() sends reasoning back to the model that wrote it, and to no other", async () => {
  const request = requestOf({ modelName: "deep" });
  const toolCalls = [{ name: "t", id: "1" }];
  const chunks = await read(openaiEvents({ thinking: "So é.", text: "Hi", toolCalls }), request);
  expect(textIn(chunks, "thinking")).toBe("So é.");
  const order = chunks.map(({ type }) => type).filter((type) => type !== "usage");
  expect(order.join(" ")).toBe("thinking thinking block text text tool_use stop");
  const kept = chunks.flatMap((chunk) => (chunk.type === "block" ? [chunk.block] : []));
  const answer = assistant(...kept, { type: "tool_use", id: "1", name: "t", input: {} });
  const messages = [user(text("a")), answer];
  const [, same] = (await bodyOf({ modelName: "deep", messages }))["messages"] as object[];
  const [, other] = (await bodyOf({ modelName: "flat", messages }))["messages"] as object[];
  expect(same).toHaveProperty("reasoning_content", "So é.");
  expect(other).not.toHaveProperty("reasoning_content");
  expect(other).toHaveProperty("tool_calls");
});

it("openai() shows reasoning in the field of Groq and OpenRouter, and does not keep it", async () => {
  const chunks = await read(deltas("stop", { reasoning: "Hm" }, { content: "Hi" }));
  expect(textIn(chunks, "thinking")).toBe("Hm");
  expect(chunks.map(({ type }) => type)).toEqual(["thinking", "text", "stop"]);
});

it("openai() tells a refusal by its text and its end", async () => {
  const chunks = await read(deltas("stop", { refusal: "I " }, { refusal: "won't." }));
  expect(textIn(chunks, "text")).toBe("I won't.");
  expect(chunks.at(-1)).toEqual({ type: "stop", reason: "refusal" });
});

it("openai() waits for tools although the server says stop", async () => {
  const call = { index: 0, id: "1", function: { name: "t", arguments: "{}" } };
  const chunks = await read(deltas("stop", { tool_calls: [call] }));
  expect(chunks.at(-1)).toEqual({ type: "stop", reason: "tool_use" });
});

it("openai() tells calls apart that a server gives the same index, or none", async () => {
  const call = (id: string, fields: object = {}): object => ({
    tool_calls: [{ id, function: { name: "t", arguments: `{"of":"${id}"}` }, ...fields }],
  });
  for (const fields of [{}, { index: 0 }]) {
    const chunks = await read(deltas("tool_calls", call("a", fields), call("b", fields)));
    expect(chunks.filter(({ type }) => type === "tool_use")).toEqual([
      { type: "tool_use", id: "a", name: "t", input: { of: "a" } },
      { type: "tool_use", id: "b", name: "t", input: { of: "b" } },
    ]);
  }
});

it("openai() joins the pieces of calls that repeat their id", async () => {
  const piece = (part: string): object => ({
    tool_calls: [{ index: 0, id: "a", function: { name: "t", arguments: part } }],
  });
  const chunks = await read(deltas("tool_calls", piece('{"a"'), piece(":1}")));
  expect(chunks[0]).toEqual({ type: "tool_use", id: "a", name: "t", input: { a: 1 } });
});

it("openai() makes ids for calls without one, no two of a session alike", async () => {
  const calls = [0, 1].map((index) => ({
    index,
    id: "",
    function: { name: "t", arguments: "{}" },
  }));
  const events = deltas("tool_calls", { tool_calls: calls });
  const idsOf = async (...messages: Message[]): Promise<string[]> => {
    const chunks = await read(events, requestOf({ messages }));
    return chunks.flatMap((chunk) => (chunk.type === "tool_use" ? [chunk.id] : []));
  };
  const first = await idsOf(user(text("a")));
  // As many messages as before, as after a compaction.
  const second = await idsOf(user(text("b")));
  expect(new Set([...first, ...second]).size).toBe(4);
  expect(await idsOf(user(text("a")))).toEqual(first);
});

it("openai() reads usage beside the last delta, as DeepSeek and Groq send it", async () => {
  const usage = { prompt_tokens: 18, completion_tokens: 219 };
  const last = { index: 0, delta: { content: "" }, finish_reason: "stop" };
  const chunks = await read([openaiEvent({ choices: [last], usage })]);
  expect(chunks).toEqual([
    { type: "usage", inputTokens: 18, outputTokens: 219 },
    { type: "stop", reason: "end" },
  ]);
});
