import { describe, expect, it } from "vitest";
import type { Message } from "../message.ts";
import { ask, requestOf, textIn } from "../testing/ask.ts";
import { parseScript } from "./parse-script.ts";
import { scriptedModel } from "./scripted-model.ts";

it("scriptedModel() answers step by step, with the chunks of a real provider", async () => {
  const model = scriptedModel([
    {
      thinking: "Let me see.",
      text: "I read  it.\n",
      toolCalls: [{ name: "read", input: { path: "a" }, id: "call_1" }],
      usage: { inputTokens: 3, outputTokens: 4 },
    },
    { text: "Done." },
  ]);
  expect(await ask(model)).toEqual([
    { type: "thinking", text: "Let " },
    { type: "thinking", text: "me " },
    { type: "thinking", text: "see." },
    {
      type: "block",
      block: { type: "thinking", thinking: "Let me see.", signature: "scripted" },
    },
    { type: "text", text: "I " },
    { type: "text", text: "read  " },
    { type: "text", text: "it.\n" },
    { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
    { type: "usage", inputTokens: 3, outputTokens: 4 },
    { type: "stop", reason: "tool_use" },
  ]);
  expect(await ask(model)).toEqual([
    { type: "text", text: "Done." },
    { type: "stop", reason: "end" },
  ]);
});

it("scriptedModel() says which step was wanted when the script is used up", async () => {
  const model = scriptedModel([{ text: "one" }]);
  await ask(model);
  await expect(ask(model)).rejects.toMatchObject({
    code: "MODEL_FAILED",
    message: "scripted: step 2 was wanted, the script has 1",
  });
});

it("scriptedModel() fails behind its text, as a broken connection does", async () => {
  const model = scriptedModel([{ text: "half an", error: "overloaded" }]);
  const seen: string[] = [];
  await expect(async () => {
    for await (const chunk of model.stream(requestOf(), new AbortController().signal)) {
      seen.push(chunk.type);
    }
  }).rejects.toMatchObject({ code: "MODEL_FAILED", message: "scripted: overloaded" });
  expect(seen).toEqual(["text", "text"]);
});

it("scriptedModel() gives a step that is a function the request", async () => {
  const model = scriptedModel([({ modelName }) => Promise.resolve({ text: modelName })]);
  expect(textIn(await ask(model, requestOf({ modelName: "m7" })), "text")).toBe("m7");
});

it("scriptedModel() makes ids that no other request of a session gets, in a new process too", async () => {
  const toolCalls = [{ name: "t" }, { name: "t" }];
  const said = (...texts: string[]): Message[] =>
    texts.map((text, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text }],
    }));
  const idsOf = async (messages: Message[]): Promise<string[]> => {
    // A new model for each request, as a new process has one.
    const chunks = await ask(scriptedModel([{ toolCalls }]), requestOf({ messages }));
    return chunks.flatMap((chunk) => (chunk.type === "tool_use" ? [chunk.id] : []));
  };
  const conversations = [said("a"), said("a", "b", "c"), said("summary")];
  const ids = (await Promise.all(conversations.map(idsOf))).flat();
  expect(new Set(ids).size).toBe(6);
  expect(ids.every((id) => /^[\w-]{1,40}$/.test(id))).toBe(true);
  expect(await idsOf(said("a"))).toEqual(ids.slice(0, 2));
});

it("scriptedModel() throws the signal's reason while a step is not ready", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const never = (): Promise<never> => new Promise(() => controller.abort(reason));
  await expect(ask(scriptedModel([never]), requestOf(), controller.signal)).rejects.toBe(reason);
});

it("scriptedModel() throws the signal's reason, before and in the middle of an answer", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const model = scriptedModel([{ text: "one two three" }]);
  const seen: unknown[] = [];
  await expect(ask(model, requestOf(), AbortSignal.abort(reason))).rejects.toBe(reason);
  await expect(async () => {
    for await (const chunk of model.stream(requestOf(), controller.signal)) {
      seen.push(chunk);
      controller.abort(reason);
    }
  }).rejects.toBe(reason);
  // The aborted request did not take the step.
  expect(seen).toEqual([{ type: "text", text: "one " }]);
});

describe("parseScript()", () => {
  const steps = [
    { text: "Hi.", usage: { inputTokens: 1, outputTokens: 2 } },
    { toolCalls: [{ name: "t" }, { name: "u", input: 1, id: "x" }], stop: "max_tokens" },
    { thinking: "Hm", error: "overloaded" },
  ];

  it("reads a step a line, or one list of steps", async () => {
    expect(parseScript(`${steps.map((step) => JSON.stringify(step)).join("\n\r\n")}\n`)).toEqual(
      steps,
    );
    expect(parseScript(` ${JSON.stringify(steps, null, 2)}\n`)).toEqual(steps);
    expect(textIn(await ask(scriptedModel(parseScript('{"text":"Hi."}'))), "text")).toBe("Hi.");
  });

  it("reads an empty script as no steps", () => {
    expect(parseScript("")).toEqual([]);
    expect(parseScript("[]")).toEqual([]);
  });

  it.each([
    ['{"text":"a"}\n\n{"text":', "line 3: wanted JSON"],
    ['{"text":"a"}\n"b"', /^line 2: wanted an object of thinking, text, toolCalls, /],
    ['{"txt":"a"}', /^line 1: txt is none of thinking, text, toolCalls, /],
    ['{"text":1}', "line 1: text: wanted text"],
    ['{"toolCalls":[{"input":{}}]}', /^line 1: toolCalls: wanted a list of \{ name, /],
    ['{"toolCalls":[{"name":"t","args":{}}]}', /^line 1: toolCalls: wanted a list of /],
    ['{"usage":{"inputTokens":1}}', /^line 1: usage: wanted \{ inputTokens, outputTokens \}/],
    ['{"stop":"done"}', "line 1: stop: wanted end, tool_use, max_tokens, refusal or pause"],
    ['[{"text":"a"},{"text":null}]', "step 2: text: wanted text"],
    ['[{"text":"a"}', "the script: wanted JSON"],
  ])("refuses %j", (script, told) => {
    const prefix = "Cannot read the script: ";
    const failure = (): unknown => {
      try {
        return parseScript(script);
      } catch (error) {
        return error;
      }
    };
    const { code, message } = failure() as { code: string; message: string };
    expect(code).toBe("SCRIPT_INVALID");
    expect(message.startsWith(prefix)).toBe(true);
    if (typeof told === "string") expect(message.slice(prefix.length)).toBe(told);
    else expect(message.slice(prefix.length)).toMatch(told);
  });
});
