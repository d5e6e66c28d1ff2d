/**
 * Goal: what is peculiar to Anthropic: what a request may hold, thinking that comes back unchanged, its
 * own tools, and how it counts.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ContentBlock, Message, OtherBlock } from "../message.ts";
import type { ModelChunk, ModelRequest } from "../model-provider.ts";
import { ask, assistant, requestOf, text, textIn, user } from "../testing/ask.ts";
import { anthropicEvent, anthropicEvents } from "../testing/vendor-events.ts";
import { startVendorServer, type VendorServer } from "../testing/vendor-server.ts";
import { anthropic } from "./anthropic.ts";

let server: VendorServer;

beforeEach(async () => {
  server = await startVendorServer();
});

afterEach(() => server.close());

/** The answer that these events make. */
function read(events: readonly string[], request?: ModelRequest): Promise<ModelChunk[]> {
  server.answer({ pieces: events });
  return ask(anthropic({ baseURL: server.url, apiKey: "none" }), request);
}

/** The body of the request that these fields make. */
async function bodyOf(fields: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  await read(anthropicEvents({ text: "ok" }), requestOf(fields));
  return JSON.parse(server.requests.at(-1)?.body ?? "") as Record<string, unknown>;
}

async function messagesOf(...messages: Message[]): Promise<unknown> {
  return (await bodyOf({ messages }))["messages"];
}

/** The events of a block at index 0, between the start and the end of a message. */
function around(block: object, ...deltas: object[]): string[] {
  const [start = "", , ...end] = anthropicEvents({});
  return [
    start,
    anthropicEvent("content_block_start", { index: 0, content_block: block }),
    ...deltas.map((delta) => anthropicEvent("content_block_delta", { index: 0, delta })),
    anthropicEvent("content_block_stop", { index: 0 }),
    ...end,
  ];
}

function blocksIn(chunks: readonly ModelChunk[]): OtherBlock[] {
  return chunks.flatMap((chunk) => (chunk.type === "block" ? [chunk.block] : []));
}

it("anthropic() sends the model, the limit, the system prompt and the tools", async () => {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } } as const;
  const tools = [{ name: "read", description: "Reads a file.", inputSchema }];
  expect(await bodyOf({ modelName: "claude", system: "Be brief.", tools, maxTokens: 7 })).toEqual({
    model: "claude",
    max_tokens: 7,
    system: "Be brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
    tools: [{ name: "read", description: "Reads a file.", input_schema: inputSchema }],
    stream: true,
  });
});

it("anthropic() sends neither an empty system prompt nor an empty list of tools", async () => {
  const body = await bodyOf({ system: "" });
  expect(Object.keys(body)).toEqual(["model", "max_tokens", "messages", "stream"]);
});

it("anthropic() sends thinking back byte for byte", async () => {
  const chunks = await read(anthropicEvents({ thinking: 'So "é" 😀\n', text: "Hi." }));
  expect(textIn(chunks, "thinking")).toBe('So "é" 😀\n');
  const [thought] = blocksIn(chunks);
  expect(chunks.findIndex(({ type }) => type === "block")).toBeLessThan(
    chunks.findIndex(({ type }) => type === "text"),
  );
  // A session keeps its events as JSON.
  const kept = JSON.parse(JSON.stringify(thought)) as OtherBlock;
  await messagesOf(user(text("Hello.")), assistant(kept, text("Hi.")), user(text("Go on.")));
  expect(server.requests.at(-1)?.body).toContain(
    '{"type":"thinking","thinking":"So \\"é\\" 😀\\n","signature":"c2lnbmVk/+=="}',
  );
});

it("anthropic() sends redacted thinking back byte for byte", async () => {
  const block = { type: "redacted_thinking", data: "b3BhcXVl+/==" };
  const [kept = block] = blocksIn(await read(around(block)));
  await messagesOf(user(text("Hello.")), assistant(kept, text("Hi.")), user(text("Go on.")));
  expect(server.requests.at(-1)?.body).toContain(JSON.stringify(block));
});

it("anthropic() does not keep thinking that was cut off before its signature", async () => {
  const delta = { type: "thinking_delta", thinking: "Hm" };
  const chunks = await read(around({ type: "thinking", thinking: "", signature: "" }, delta));
  expect(textIn(chunks, "thinking")).toBe("Hm");
  expect(blocksIn(chunks)).toEqual([]);
});

it("anthropic() keeps calls and results of Anthropic's own tools and sends them back", async () => {
  const call = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  const delta = { type: "input_json_delta", partial_json: '{"query":"q"}' };
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const kept = [
    ...blocksIn(await read(around(call, delta))),
    ...blocksIn(await read(around(result))),
  ];
  expect(kept).toEqual([{ ...call, input: { query: "q" } }, result]);
  expect(await messagesOf(user(text("?")), assistant(...kept))).toEqual([
    { role: "user", content: [{ type: "text", text: "?" }] },
    { role: "assistant", content: kept },
  ]);
});

it("anthropic() leaves out other vendors' blocks, blank text and what is empty then", async () => {
  const foreign = { type: "reasoning_content", modelName: "m", text: "Hm." };
  expect(
    await messagesOf(
      user(text("a")),
      assistant(foreign, text(" \n")),
      user(text("b"), text("")),
      assistant(text("c"), foreign),
    ),
  ).toEqual([
    { role: "user", content: [text("a"), text("b")] },
    { role: "assistant", content: [text("c")] },
  ]);
});

it("anthropic() sends results of tools: texts, images, errors, nothing at all", async () => {
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AA==" },
  };
  const call = (id: string): ContentBlock => ({ type: "tool_use", id, name: "t", input: {} });
  const result = (id: string, fields: object): ContentBlock => ({
    type: "tool_result",
    tool_use_id: id,
    ...fields,
  });
  const sent = await messagesOf(
    user(text("a")),
    assistant(...["1", "2", "3", "4"].map(call)),
    user(
      result("1", { content: "one", is_error: false }),
      result("2", { content: [text("two"), text(""), image, { type: "odd" }] }),
      result("3", { content: "" }),
      result("4", { content: "", is_error: true }),
    ),
  );
  expect((sent as Message[])[2]?.content).toEqual([
    { type: "tool_result", tool_use_id: "1", content: [text("one")] },
    { type: "tool_result", tool_use_id: "2", content: [text("two"), image] },
    { type: "tool_result", tool_use_id: "3" },
    { type: "tool_result", tool_use_id: "4", content: "no message", is_error: true },
  ]);
});

it("anthropic() sends calls that other models made in a form that it takes", async () => {
  const call = { type: "tool_use", id: "functions.read:0", name: "read", input: '{"pa' };
  const result = { type: "tool_result", tool_use_id: "functions.read:0", content: "bad" };
  const sent = await messagesOf(
    user(text("a")),
    assistant({ ...call, inputError: "it is not valid JSON" }),
    user(result),
  );
  expect((sent as Message[]).slice(1).map(({ content }) => content[0])).toEqual([
    { type: "tool_use", id: "functions_read_0", name: "read", input: { unreadable: '{"pa' } },
    { ...result, tool_use_id: "functions_read_0", content: [text("bad")] },
  ]);
});

it("anthropic() counts tokens of the cache as input, and the last count is the sum", async () => {
  const usage = {
    input_tokens: 1,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 300,
    output_tokens: 4,
  };
  const [, ...end] = anthropicEvents({ usage: { inputTokens: 0, outputTokens: 9 } });
  const message = { content: [], stop_reason: null, usage };
  const chunks = await read([anthropicEvent("message_start", { message }), ...end]);
  expect(chunks.filter(({ type }) => type === "usage")).toEqual([
    { type: "usage", inputTokens: 321, outputTokens: 4 },
    { type: "usage", inputTokens: 321, outputTokens: 9 },
  ]);
});

it.each([
  ["pause_turn", "pause"],
  ["stop_sequence", "end"],
  ["model_context_window_exceeded", "max_tokens"],
])("anthropic() tells the end %s as %s", async (stop_reason, reason) => {
  const delta = { stop_reason, stop_sequence: null };
  const events = anthropicEvents({ text: "x" }).with(
    -2,
    anthropicEvent("message_delta", { delta, usage: { output_tokens: 1 } }),
  );
  expect((await read(events)).at(-1)).toEqual({ type: "stop", reason });
});

it("anthropic() puts blocks together that are written at the same time", async () => {
  const [start = "", , ...end] = anthropicEvents({ stop: "tool_use" });
  const call = (index: number): string =>
    anthropicEvent("content_block_start", {
      index,
      content_block: { type: "tool_use", id: `toolu_${index}`, name: "t", input: {} },
    });
  const json = (index: number, partial_json: string): string =>
    anthropicEvent("content_block_delta", {
      index,
      delta: { type: "input_json_delta", partial_json },
    });
  const stop = (index: number): string => anthropicEvent("content_block_stop", { index });
  const pieces = [
    call(0),
    call(1),
    json(0, '{"a":'),
    json(1, '{"b"'),
    json(0, "1}"),
    json(1, ":2}"),
  ];
  const chunks = await read([start, ...pieces, stop(0), stop(1), ...end]);
  expect(chunks.filter(({ type }) => type === "tool_use")).toEqual([
    { type: "tool_use", id: "toolu_0", name: "t", input: { a: 1 } },
    { type: "tool_use", id: "toolu_1", name: "t", input: { b: 2 } },
  ]);
});

it("anthropic() reads an answer that its first event holds as a whole", async () => {
  // As calls come that code of the model's own makes.
  const content = [
    { type: "text", text: "Hi" },
    { type: "tool_use", id: "toolu_1", name: "roll", input: { player: 1 } },
  ];
  const usage = { input_tokens: 1, output_tokens: 2 };
  const message = { content, stop_reason: "tool_use", usage };
  expect(
    await read([anthropicEvent("message_start", { message }), anthropicEvent("message_stop")]),
  ).toEqual([
    { type: "usage", inputTokens: 1, outputTokens: 2 },
    { type: "text", text: "Hi" },
    { ...content[1] },
    { type: "stop", reason: "tool_use" },
  ]);
});
