/**
 * Goal: both vendors' providers keep the contract of `ModelProvider`, whatever the server does. Method:
 * the vendors' own packages against a local server that speaks their protocols.
 */
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentError } from "../agent-error.ts";
import type { ModelChunk, ModelProvider } from "../model-provider.ts";
import { ask, requestOf, textIn } from "../testing/ask.ts";
import {
  anthropicEvent,
  anthropicEvents,
  openaiEvent,
  openaiEvents,
} from "../testing/vendor-events.ts";
import {
  startVendorServer,
  type VendorAnswer,
  type VendorServer,
} from "../testing/vendor-server.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import type { ScriptedAnswer } from "./scripted-model.ts";
import type { VendorOptions } from "./vendor-options.ts";
import { loadPackage } from "./vendor-provider.ts";

const key = "canary-0123456789-not-a-key";

// The packages hold on to the console's functions when the first client is made.
const printed = vi.spyOn(console, "error").mockReturnValue();

/** What differs from vendor to vendor. */
interface Vendor {
  readonly id: string;
  readonly path: string;
  readonly provider: (url: string, options?: VendorOptions) => ModelProvider;
  /** Over a client with another `fetch`. */
  readonly withFetch: (
    url: string,
    fetch: typeof globalThis.fetch,
    options?: VendorOptions,
  ) => ModelProvider;
  readonly events: (answer: ScriptedAnswer) => string[];
  /** How many events an answer may lose at its end and still be whole. */
  readonly spare: number;
  readonly failure: (type: string, message: string) => string;
  readonly failureEvent: (type: string, message: string) => string;
  readonly oddStop: readonly string[];
}

const vendors: readonly Vendor[] = [
  {
    id: "anthropic",
    path: "/v1/messages",
    provider: (baseURL, options) => anthropic({ baseURL, apiKey: key, ...options }),
    withFetch: (baseURL, fetch, options) => {
      const client = new Anthropic({ baseURL, apiKey: key, fetch, logLevel: "off" });
      return anthropic({ client, ...options });
    },
    events: anthropicEvents,
    spare: 0,
    failure: (type, message) => JSON.stringify({ type: "error", error: { type, message } }),
    failureEvent: (type, message) => anthropicEvent("error", { error: { type, message } }),
    oddStop: [
      anthropicEvent("message_delta", {
        delta: { stop_reason: "tired" },
        usage: { output_tokens: 1 },
      }),
      anthropicEvent("message_stop"),
    ],
  },
  {
    id: "openai",
    path: "/v1/chat/completions",
    provider: (url, options) => openai({ baseURL: `${url}/v1`, apiKey: key, ...options }),
    withFetch: (url, fetch, options) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch, logLevel: "off" });
      return openai({ client, ...options });
    },
    events: openaiEvents,
    // Its usage, and `[DONE]`.
    spare: 2,
    failure: (type, message) =>
      JSON.stringify({ error: { message, type, param: null, code: null } }),
    failureEvent: (type, message) => `data: ${JSON.stringify({ error: { message, type } })}\n\n`,
    oddStop: [openaiEvent({ choices: [{ index: 0, delta: {}, finish_reason: "tired" }] })],
  },
];

let server: VendorServer;

beforeEach(async () => {
  server = await startVendorServer();
});

afterEach(() => server.close());

/** What `ask` fails with, and the chunks it got before. */
async function failureOf(
  provider: ModelProvider,
): Promise<{ error: AgentError; chunks: ModelChunk[] }> {
  const chunks: ModelChunk[] = [];
  try {
    const { signal } = new AbortController();
    for await (const chunk of provider.stream(requestOf(), signal)) chunks.push(chunk);
  } catch (error) {
    return { error: error as AgentError, chunks };
  }
  throw new Error(`it did not fail, but gave ${JSON.stringify(chunks)}`);
}

/** A failure that is tried again at once. */
function failing(status: number, body: string): VendorAnswer {
  return { status, body, headers: { "retry-after-ms": "1" } };
}

describe.each(vendors)("$id", (vendor) => {
  const { provider, events, failure, failureEvent } = vendor;

  it("gives text, tool calls, usage and why it stopped, in this order", async () => {
    const toolCalls = [{ name: "read", input: { path: "a" }, id: "call_1" }];
    const usage = { inputTokens: 21, outputTokens: 8 };
    server.answer({ pieces: events({ text: "Grüße 😀", toolCalls, usage }) });
    const chunks = await ask(provider(server.url));
    expect(server.requests[0]?.path).toBe(vendor.path);
    expect(textIn(chunks, "text")).toBe("Grüße 😀");
    expect(chunks.filter(({ type }) => type === "tool_use")).toEqual([
      { type: "tool_use", ...toolCalls[0] },
    ]);
    expect(chunks.findLast(({ type }) => type === "usage")).toEqual({ type: "usage", ...usage });
    expect(chunks.at(-1)).toEqual({ type: "stop", reason: "tool_use" });
    const order = chunks.map(({ type }) => type).filter((type) => type !== "usage");
    expect(order).toEqual(["text", "text", "tool_use", "stop"]);
  });

  it("hands over text while the answer is still being written", async () => {
    const pieces = events({ text: "ab" });
    const half = pieces.findIndex((piece) => piece.includes('"a"')) + 1;
    server.answer({ pieces: pieces.slice(0, half), ending: "hold" });
    const { signal } = new AbortController();
    for await (const chunk of provider(server.url).stream(requestOf(), signal)) {
      if (chunk.type === "text") break;
    }
    // Breaking off ends the request.
    await server.requests[0]?.closed;
  });

  it("reads an answer that is cut at any byte", async () => {
    const bytes = Buffer.from(events({ text: "ü😀", toolCalls: [{ name: "é" }] }).join(""));
    server.answer({ pieces: [bytes] });
    const whole = await ask(provider(server.url));
    expect(textIn(whole, "text")).toBe("ü😀");
    let parts: Buffer[] = [];
    const split = vendor.withFetch(server.url, () => {
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(ReadableStream.from(parts), { headers }));
    });
    parts = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
    expect(await ask(split), "byte by byte").toEqual(whole);
    for (let at = 1; at < bytes.length; at += 1) {
      parts = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(await ask(split), `cut at ${at}`).toEqual(whole);
    }
  });

  it("gives parallel tool calls in order, each with its own input", async () => {
    const toolCalls = ["a", "b", "c"].map((name, index) => ({
      name,
      input: { index, deep: [{ name }] },
      id: `call_${index}`,
    }));
    server.answer({ pieces: events({ toolCalls }) });
    const chunks = await ask(provider(server.url));
    expect(chunks.filter(({ type }) => type === "tool_use")).toEqual(
      toolCalls.map((call) => ({ type: "tool_use", ...call })),
    );
  });

  it.each([
    ['{"path": "a', "it is not valid JSON"],
    ["[1]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
  ])("gives the raw text of the input %s and says that %s", async (input, inputError) => {
    const toolCalls = [{ name: "read", input, id: "call_1", inputError }];
    server.answer({ pieces: events({ toolCalls, stop: "max_tokens" }) });
    const chunks = await ask(provider(server.url));
    expect(chunks.filter(({ type }) => type === "tool_use")).toEqual([
      { type: "tool_use", ...toolCalls[0] },
    ]);
    expect(chunks.at(-1)).toEqual({ type: "stop", reason: "max_tokens" });
  });

  it("takes a call without arguments as one with an empty object", async () => {
    const toolCalls = [{ name: "now", input: "", id: "call_1", inputError: "none" }];
    server.answer({ pieces: events({ toolCalls }) });
    const chunks = await ask(provider(server.url));
    expect(chunks.find(({ type }) => type === "tool_use")).toEqual({
      type: "tool_use",
      id: "call_1",
      name: "now",
      input: {},
    });
  });

  it("gives nothing but usage and the end for an empty answer", async () => {
    server.answer({ pieces: events({}) });
    const chunks = await ask(provider(server.url));
    expect(new Set(chunks.map(({ type }) => type))).toEqual(new Set(["usage", "stop"]));
    expect(chunks.at(-1)).toEqual({ type: "stop", reason: "end" });
  });

  it.each(["end", "tool_use", "max_tokens", "refusal"] as const)(
    "tells the end %s",
    async (stop) => {
      server.answer({ pieces: events({ text: "x", stop }) });
      expect((await ask(provider(server.url))).at(-1)).toEqual({ type: "stop", reason: stop });
    },
  );

  it("fails for a reason to stop that it does not know, and does not take it for the end", async () => {
    server.answer({
      pieces: [
        ...events({ text: "x" }).slice(0, -vendor.oddStop.length - vendor.spare),
        ...vendor.oddStop,
      ],
    });
    const { error } = await failureOf(provider(server.url));
    expect(error.code).toBe("MODEL_FAILED");
    expect(error.message).toBe(`${vendor.id}: stopped for an unknown reason: tired`);
  });

  it("uses one connection for one answer after the other", async () => {
    server.answer({ pieces: events({ text: "1" }) }, { pieces: events({ text: "2" }) });
    const model = provider(server.url);
    await ask(model);
    // The connection is free when the event loop has seen the end of its answer.
    await setImmediate();
    await ask(model);
    const [first, second] = server.requests;
    expect(second?.remotePort).toBe(first?.remotePort);
  });

  it("gives a whole answer although the server never closes the stream", async () => {
    server.answer({ pieces: events({ text: "done" }), ending: "hold" });
    const chunks = await ask(provider(server.url));
    expect(chunks.at(-1)).toEqual({ type: "stop", reason: "end" });
  });

  describe("before the answer", () => {
    it("does not repeat what is refused, and says why in one line", async () => {
      server.answer(failing(401, failure("authentication_error", "invalid\n  x-api-key")));
      const { error } = await failureOf(provider(server.url));
      expect(error.code).toBe("MODEL_FAILED");
      expect(error.message).toBe(`${vendor.id}: HTTP 401 authentication_error: invalid x-api-key`);
      expect(server.requests).toHaveLength(1);
    });

    it.each([429, 500, 529])("repeats after HTTP %d", async (status) => {
      server.answer(failing(status, failure("x", "y")), { pieces: events({ text: "ok" }) });
      expect(textIn(await ask(provider(server.url)), "text")).toBe("ok");
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
    });

    it("gives up after two repetitions", async () => {
      server.answer(...[1, 2, 3, 4].map((n) => failing(500, failure("api_error", `no. ${n}`))));
      const { error } = await failureOf(provider(server.url));
      expect(error.message).toBe(`${vendor.id}: HTTP 500 api_error: no. 3`);
      expect(server.requests).toHaveLength(3);
    });

    it("repeats as often as maxRetries says", async () => {
      server.answer(failing(500, failure("api_error", "one")));
      const { error } = await failureOf(provider(server.url, { maxRetries: 0 }));
      expect(error.message).toContain("one");
      expect(server.requests).toHaveLength(1);
    });

    it("repeats after a connection that was cut, and names the system's code in the end", async () => {
      server.answer("refuse", "refuse");
      const { error } = await failureOf(provider(server.url, { maxRetries: 1 }));
      expect(error.code).toBe("MODEL_FAILED");
      expect(error.message).toMatch(/: the connection failed \([A-Z_]+\)$/);
      expect(server.requests).toHaveLength(2);
    });

    it("tells the status alone when the body is a page", async () => {
      const page = "<html><body>Bad gateway</body></html>";
      server.answer({ status: 502, body: page, headers: { "content-type": "text/html" } });
      const { error } = await failureOf(provider(server.url, { maxRetries: 0 }));
      expect(error.message).toBe(`${vendor.id}: HTTP 502`);
    });

    it("ends a request that stays without an answer", async () => {
      server.answer("silence");
      const { error } = await failureOf(provider(server.url, { maxRetries: 0, timeoutMs: 50 }));
      expect(error.code).toBe("MODEL_FAILED");
      await server.requests[0]?.closed;
    });
  });

  describe("in the middle of the answer", () => {
    const pieces = events({ thinking: "hm", text: "abcd", toolCalls: [{ name: "t" }] });
    const begun = pieces.slice(0, pieces.findIndex((piece) => piece.includes('"ab"')) + 1);

    it("fails at an error event, with the text so far handed over and nothing asked again", async () => {
      server.answer({ pieces: [...begun, failureEvent("overloaded_error", "Overloaded")] });
      const { error, chunks } = await failureOf(provider(server.url));
      expect(error.code).toBe("MODEL_FAILED");
      expect(error.message).toBe(`${vendor.id}: overloaded_error: Overloaded`);
      expect(textIn(chunks, "text")).toBe("ab");
      expect(server.requests).toHaveLength(1);
    });

    it("fails when the connection breaks", async () => {
      server.answer({ pieces: begun, ending: "destroy" });
      const { error, chunks } = await failureOf(provider(server.url));
      expect(error.code).toBe("MODEL_FAILED");
      expect(error.message).toMatch(/: the connection failed \([A-Z_]+\)$/);
      expect(textIn(chunks, "text")).toBe("ab");
      expect(server.requests).toHaveLength(1);
    });

    it("fails wherever the stream ends before the answer does", async () => {
      const model = provider(server.url);
      for (let length = 0; length < pieces.length - vendor.spare; length += 1) {
        server.answer({ pieces: pieces.slice(0, length) });
        const { error } = await failureOf(model);
        expect(error.message, `after ${length} events`).toBe(
          `${vendor.id}: the stream ended before the answer did`,
        );
      }
      expect(server.requests).toHaveLength(pieces.length - vendor.spare);
    });

    it("fails when the vendor falls silent, and ends the request", async () => {
      let request: AbortSignal | null | undefined;
      const silent = vendor.withFetch(
        server.url,
        (_url, init) => {
          request = init?.signal;
          const body = new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from(begun.join(""))),
          });
          return Promise.resolve(new Response(body));
        },
        { timeoutMs: 100 },
      );
      const { error, chunks } = await failureOf(silent);
      expect(error.message).toBe(`${vendor.id}: said nothing for 100 ms`);
      expect(textIn(chunks, "text")).toBe("ab");
      expect(request?.aborted).toBe(true);
    });

    it("fails at an event that is not JSON, and neither repeats nor prints it", async () => {
      server.answer({ pieces: [...begun, "event: ping\nevent: x\ndata: {secret text\n\n"] });
      const { error } = await failureOf(provider(server.url));
      expect(error.message).toBe(`${vendor.id}: sent something that is not JSON`);
      expect(printed).not.toHaveBeenCalled();
    });
  });

  describe("aborted", () => {
    const reason = new Error("enough");

    it("asks nothing when it was aborted before", async () => {
      await expect(ask(provider(server.url), requestOf(), AbortSignal.abort(reason))).rejects.toBe(
        reason,
      );
      expect(server.requests).toHaveLength(0);
    });

    it("throws the reason and closes the connection while it waits for the answer", async () => {
      const controller = new AbortController();
      server.answer("silence");
      const asked = ask(provider(server.url), requestOf(), controller.signal);
      await vi.waitUntil(() => server.requests.length > 0, { interval: 2, timeout: 30_000 });
      controller.abort(reason);
      await expect(asked).rejects.toBe(reason);
      await server.requests[0]?.closed;
    });

    it("throws the reason during the pause before a repetition, and does not repeat", async () => {
      const controller = new AbortController();
      server.answer({ status: 429, body: "{}", headers: { "retry-after": "3600" } });
      const asked = ask(provider(server.url), requestOf(), controller.signal);
      await vi.waitUntil(() => server.requests.length > 0, { interval: 2, timeout: 30_000 });
      controller.abort(reason);
      await expect(asked).rejects.toBe(reason);
      expect(server.requests).toHaveLength(1);
    });

    it.each(["text", "thinking"] as const)(
      "throws the reason and closes the connection in the middle of %s",
      async (type) => {
        const controller = new AbortController();
        const pieces = events({ thinking: "hm", text: "abcd" }).slice(0, -3);
        server.answer({ pieces, ending: "hold" });
        const seen: ModelChunk[] = [];
        await expect(async () => {
          for await (const chunk of provider(server.url).stream(requestOf(), controller.signal)) {
            seen.push(chunk);
            if (chunk.type === type) controller.abort(reason);
          }
        }).rejects.toBe(reason);
        expect(seen.at(-1)?.type).toBe(type);
        expect(seen.filter((chunk) => chunk.type === type)).toHaveLength(1);
        await server.requests[0]?.closed;
      },
    );

    it("throws the reason between two tool calls of an answer that has arrived", async () => {
      const controller = new AbortController();
      const toolCalls = [{ name: "a" }, { name: "b" }];
      server.answer({ pieces: [events({ toolCalls }).join("")] });
      const seen: string[] = [];
      await expect(async () => {
        for await (const chunk of provider(server.url).stream(requestOf(), controller.signal)) {
          if (chunk.type !== "tool_use") continue;
          seen.push(chunk.name);
          controller.abort(reason);
        }
      }).rejects.toBe(reason);
      expect(seen).toEqual(["a"]);
    });

    it("leaves no listener on the signal, whose turn makes many requests", async () => {
      const { signal } = new AbortController();
      const add = vi.spyOn(signal, "addEventListener");
      const remove = vi.spyOn(signal, "removeEventListener");
      const model = provider(server.url);
      server.answer({ pieces: events({ text: "1" }) }, failing(400, failure("x", "y")));
      await ask(model, requestOf(), signal);
      await expect(ask(model, requestOf(), signal)).rejects.toThrow("HTTP 400");
      expect(add).toHaveBeenCalledTimes(2);
      expect(remove).toHaveBeenCalledTimes(2);
    });
  });

  it.each<[string, VendorAnswer]>([
    ["a refusal that repeats it", failing(401, failure("auth", `bad key ${key}, Bearer ${key}`))],
    [
      "a refusal with it in a header",
      { status: 400, body: failure("x", "y"), headers: { "x-echo": key, "request-id": key } },
    ],
    ["a refusal that tells another", failing(401, failure("auth", "not sk-ant-canary-012345"))],
    ["a page that repeats it", { status: 400, body: `<p>${key}` }],
    ["an error event that repeats it", { pieces: [failureEvent("x", `with ${key}`)] }],
    ["a connection that is cut", "refuse"],
    ["no answer", "silence"],
  ])("never shows the key: %s", async (_name, answer) => {
    server.answer(answer);
    const timeoutMs = answer === "silence" ? 100 : undefined;
    const { error } = await failureOf(provider(server.url, { maxRetries: 0, timeoutMs }));
    expect(error.code).toBe("MODEL_FAILED");
    const shown = inspect(error, { depth: Infinity, showHidden: true });
    expect(shown).not.toContain("canary");
    // A silent server may be given up before it is reached.
    const sent = server.requests.map(({ headers }) => JSON.stringify(headers));
    if (answer !== "silence") expect(sent.join()).toContain(key);
  });

  it("never shows a key that was cut in two when it was pasted", async () => {
    const pasted = `${key}\n${key}`;
    const { error } = await failureOf(provider(server.url, { apiKey: pasted, maxRetries: 0 }));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("canary");
  });

  it("sets parameters over its own fields, but always streams", async () => {
    server.answer({ pieces: events({ text: "x" }) });
    const parameters = { temperature: 0, model: "other", stream: false };
    await ask(provider(server.url, { parameters }));
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      temperature: 0,
      model: "other",
      stream: true,
    });
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: 2 ** 31 }, { maxRetries: -1 }, { maxRetries: 0.5 }])(
    "refuses %o",
    (options) => {
      expect(() => provider(server.url, options)).toThrow(RangeError);
    },
  );
});

it("anthropic() and openai() refuse a key beside a client", () => {
  const client = new Anthropic({ apiKey: key });
  expect(() => anthropic({ client, apiKey: key })).toThrow(TypeError);
  expect(() => openai({ client: new OpenAI({ apiKey: key }), baseURL: "x" })).toThrow(TypeError);
});

it("loadPackage() names the package that is missing", async () => {
  const cause = new Error("Cannot find package");
  await expect(loadPackage("openai", () => Promise.reject(cause))).rejects.toMatchObject({
    code: "DRIVER_MISSING",
    message: "Cannot ask the model: openai is missing, run `npm install openai`",
    cause,
  });
});
