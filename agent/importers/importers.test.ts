import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/index.ts";
import { collect } from "../testing/collect.ts";
import { importChatMessages } from "./chat-messages.ts";
import { importClaudeCode } from "./claude-code.ts";
import { importCodex } from "./codex.ts";
import type { TranscriptSource } from "./transcript.ts";

type Record = { readonly [field: string]: unknown };

/** What an event is, without where it came from. */
async function plain(events: AsyncIterable<SessionEvent>): Promise<Record[]> {
  const all = await collect(events);
  return all.map((event) => {
    const { imported: _imported, ...rest } = event as unknown as Record;
    return JSON.parse(JSON.stringify(rest)) as Record;
  });
}

const lines = (...records: readonly unknown[]): string[] =>
  records.map((record) => JSON.stringify(record));

const claude = (...records: readonly Record[]): Promise<Record[]> =>
  plain(importClaudeCode(lines(...records)));
const codex = (...records: readonly Record[]): Promise<Record[]> =>
  plain(importCodex(lines(...records)));
const item = (payload: Record): Record => ({ type: "response_item", payload });

const said = (uuid: string, parentUuid: string | null, content: unknown, rest = {}): Record => ({
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
  ...rest,
});
const answer = (
  uuid: string,
  parentUuid: string,
  id: string,
  block: Record,
  rest = {},
): Record => ({
  type: "assistant",
  uuid,
  parentUuid,
  message: { role: "assistant", id, content: [block] },
  ...rest,
});
const text = (words: string): Record => ({ type: "text", text: words });
const use = (id: string): Record => ({ type: "tool_use", id, name: "Bash", input: {} });
const result = (id: string, content = "done"): Record => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const prompt = (content: unknown): Record => ({ type: "user", content, origin: "input" });
const reminder = (content: unknown): Record => ({ type: "user", content, origin: "reminder" });
const assistant = (...content: readonly Record[]): Record => ({ type: "assistant", content });
const output = (callId: string): Record => ({ type: "tool_result", callId, output: "done" });

describe("importClaudeCode()", () => {
  it("makes one message of a streamed answer and puts results behind all of its calls", async () => {
    const events = await claude(
      said("p", null, "go"),
      answer("a1", "p", "m", text("I will")),
      answer("a2", "a1", "m", use("t1")),
      said("r1", "a2", [result("t1")]),
      { type: "progress", uuid: "x", parentUuid: "a2" },
      answer("a3", "a2", "m", use("t2")),
      said("r2", "a3", [result("t2")]),
      answer("a4", "r2", "n", text("Done.")),
    );
    expect(events).toEqual([
      prompt("go"),
      assistant(text("I will"), use("t1"), use("t2")),
      output("t1"),
      { type: "claude-code:progress" },
      output("t2"),
      assistant(text("Done.")),
    ]);
  });

  it("never joins answers across what a person says", async () => {
    const events = await claude(
      answer("a1", "-", "m", text("one")),
      said("p", "a1", "go on"),
      answer("a2", "p", "m", text("two")),
    );
    expect(events).toEqual([assistant(text("one")), prompt("go on"), assistant(text("two"))]);
  });

  it("follows the branch that went on to the end, and keeps the others as abandoned", async () => {
    const events = await claude(
      said("p1", null, "one"),
      answer("a1", "p1", "m1", text("1")),
      { type: "system", uuid: "s", parentUuid: "a1" },
      said("p2", "s", "two, a mistake"),
      answer("a2", "p2", "m2", text("2")),
      said("p3", "a1", "two"),
      answer("a3", "p3", "m3", text("3")),
    );
    expect(events).toEqual([
      prompt("one"),
      assistant(text("1")),
      { type: "claude-code:system" },
      { type: "claude-code:abandoned" },
      { type: "claude-code:abandoned" },
      prompt("two"),
      assistant(text("3")),
    ]);
  });

  it("takes the older branch when that one was continued last", async () => {
    const events = await claude(
      said("p1", null, "one"),
      said("old", "p1", "old"),
      said("new", "p1", "new"),
      answer("a", "old", "m", text("to the old one")),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "user",
      "user",
      "claude-code:abandoned",
      "assistant",
    ]);
    expect(events[1]).toEqual(prompt("old"));
  });

  it("takes transcripts that link nothing, or to themselves, as they stand", async () => {
    const unlinked = [said("p", null, "one"), said("p", null, "two"), said("q", "q", "three")];
    expect(await claude(...unlinked)).toEqual([prompt("one"), prompt("two"), prompt("three")]);
  });

  it("keeps a subagent's conversation apart, and imports one that is alone", async () => {
    const side = said("s", null, "look around", { isSidechain: true });
    expect(await claude(said("p", null, "go"), side)).toEqual([
      prompt("go"),
      { type: "claude-code:sidechain" },
    ]);
    expect(await claude(side)).toEqual([prompt("look around")]);
  });

  it.each([
    ["a prompt", "hi", {}, "input"],
    ["a prompt in blocks", [text("hi")], {}, "input"],
    ["an image", [{ type: "image", source: {} }], {}, "input"],
    ["a slash command", "<command-name>/init</command-name>", {}, "input"],
    ["a prompt with a reminder", [text("<system-reminder>x"), text("hi")], {}, "input"],
    ["a meta record", "hi", { isMeta: true }, "reminder"],
    ["a reminder", "<system-reminder>x</system-reminder>", {}, "reminder"],
    ["a command's output", "<local-command-stdout>x</local-command-stdout>", {}, "reminder"],
    [
      "a caveat",
      "Caveat: The messages below were generated by the user while running local commands",
      {},
      "reminder",
    ],
    ["what an editor says", "<ide_opened_file>x</ide_opened_file>", {}, "reminder"],
    ["an interruption", [text("[Request interrupted by user for tool use]")], {}, "reminder"],
    ["nothing", [], {}, "reminder"],
  ])("tells who wrote %s", async (_name, content, rest, origin) => {
    expect(await claude(said("p", null, content, rest))).toEqual([
      { type: "user", content, origin },
    ]);
  });

  it("splits results from what stands beside them, in order", async () => {
    const failed = { ...result("t2"), is_error: true, cache_control: { type: "ephemeral" } };
    const content = [result("t1"), text("and"), { type: "image" }, failed];
    expect(await claude(said("p", null, content))).toEqual([
      output("t1"),
      prompt([text("and"), { type: "image" }]),
      { ...output("t2"), isError: true, cache_control: { type: "ephemeral" } },
    ]);
  });

  it("makes a summary of what a compaction left, and none of a title", async () => {
    const events = await claude(
      { type: "summary", summary: "A title", leafUuid: "x" },
      said("p", null, "go"),
      answer("a", "p", "m", text("ok")),
      { type: "system", subtype: "compact_boundary", uuid: "b", parentUuid: null },
      said("c", "b", "They said go.", { isCompactSummary: true }),
      said("p2", "c", "on"),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "claude-code:summary",
      "user",
      "assistant",
      "claude-code:system",
      "summary",
      "user",
    ]);
    expect(events[4]).toEqual({ type: "summary", summary: "They said go.", throughSeq: 4 });
  });

  it("keeps what the model never wrote or saw, and says what was cut off and what it cost", async () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 20, output_tokens: 3 };
    const cut = { type: "assistant", isAbortedMidStream: true };
    const events = await claude(
      answer("a", "-", "m", text("API Error"), { isApiErrorMessage: true }),
      { ...cut, message: { role: "assistant", id: "n", model: "c", usage, content: [text("I")] } },
    );
    expect(events).toEqual([
      { type: "claude-code:assistant" },
      {
        ...assistant(text("I")),
        model: "c",
        usage: { inputTokens: 21, outputTokens: 3 },
        interrupted: true,
      },
    ]);
  });

  it("keeps every record with its line, also one of an unknown shape", async () => {
    const odd = [1, "text", { no: "type" }, { type: "user", message: "error" }, { type: "user" }];
    const events = await collect(importClaudeCode(["", ...lines(...odd)]));
    expect(events).toEqual(
      odd.map((value, index) => ({
        type: index < 3 ? "claude-code:record" : "claude-code:user",
        imported: { from: "claude-code", records: [{ line: index + 2, value }] },
      })),
    );
  });
});

describe("importCodex()", () => {
  const message = (role: string, words: string): Record =>
    item({ type: "message", role, content: [{ type: "input_text", text: words }] });
  const call = (id: string): Record =>
    item({ type: "function_call", name: "shell", call_id: id, arguments: '{"command":["ls"]}' });
  const called = (id: string): Record => ({
    type: "tool_use",
    id,
    name: "shell",
    input: { command: ["ls"] },
  });
  const done = (id: string): Record =>
    item({ type: "function_call_output", call_id: id, output: "done" });

  it("makes one message of what the model made in a row", async () => {
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "x" };
    const events = await codex(
      { type: "session_meta", payload: { id: "s" } },
      { type: "turn_context", payload: { model: "gpt" } },
      message("developer", "Be kind."),
      message("user", "<environment_context>linux</environment_context>"),
      message("user", "go"),
      item(reasoning),
      { type: "event_msg", payload: { type: "agent_reasoning", text: "x" } },
      call("c1"),
      call("c2"),
      done("c1"),
      done("c2"),
      message("assistant", "Done."),
    );
    expect(events).toEqual([
      { type: "codex:session_meta" },
      { type: "codex:turn_context" },
      reminder([text("Be kind.")]),
      reminder([text("<environment_context>linux</environment_context>")]),
      prompt([text("go")]),
      { ...assistant(reasoning, called("c1"), called("c2")), model: "gpt" },
      { type: "codex:agent_reasoning" },
      output("c1"),
      output("c2"),
      { ...assistant(text("Done.")), model: "gpt" },
    ]);
  });

  it("reads the bare items of early rollouts", async () => {
    const bare = [message("user", "go"), call("c")].map(({ payload }) => payload as Record);
    expect(await codex(...bare)).toEqual([prompt([text("go")]), assistant(called("c"))]);
  });

  it("marks the message that an abort cut off", async () => {
    const aborted = { type: "event_msg", payload: { type: "turn_aborted", reason: "interrupted" } };
    expect(await codex(call("c"), aborted)).toEqual([
      { ...assistant(called("c")), interrupted: true },
      { type: "codex:turn_aborted" },
    ]);
  });

  it("takes back the turns that were rolled back, and no others", async () => {
    const back = (turns: number): Record => ({
      type: "event_msg",
      payload: { type: "thread_rolled_back", num_turns: turns },
    });
    const events = await codex(
      message("user", "one"),
      message("user", "two"),
      message("assistant", "2"),
      message("user", "three"),
      back(2),
      message("user", "four"),
      back(0),
    );
    expect(events).toEqual([
      prompt([text("one")]),
      ...Array.from({ length: 3 }, () => ({ type: "codex:abandoned" })),
      { type: "codex:thread_rolled_back" },
      prompt([text("four")]),
      { type: "codex:thread_rolled_back" },
    ]);
  });

  it("sums up with what replaced the history, or with the message alone", async () => {
    const replacement = [
      message("user", "go"),
      message("developer", "-"),
      message("user", "so far"),
    ];
    const events = await codex(
      message("user", "go"),
      { type: "compacted", payload: { message: "so far" } },
      {
        type: "compacted",
        payload: { message: "", replacement_history: replacement.map(({ payload }) => payload) },
      },
    );
    expect(events.slice(1)).toEqual([
      { type: "summary", summary: "so far", throughSeq: 1 },
      { type: "summary", summary: "go\n\nso far", throughSeq: 2 },
    ]);
  });

  it("reads custom calls, shell calls and outputs of every shape", async () => {
    const events = await codex(
      item({ type: "custom_tool_call", name: "patch", call_id: "c1", input: "*** Begin" }),
      item({
        type: "custom_tool_call_output",
        call_id: "c1",
        output: [{ type: "input_text", text: "ok" }],
      }),
      item({ type: "local_shell_call", call_id: "c2", action: { type: "exec" } }),
      item({
        type: "function_call_output",
        call_id: "c2",
        output: { content: "no", success: false },
      }),
      item({ type: "function_call", name: "f", call_id: "c3", arguments: "{broken" }),
    );
    expect(events).toEqual([
      assistant({ type: "tool_use", id: "c1", name: "patch", input: "*** Begin" }),
      { type: "tool_result", callId: "c1", output: [text("ok")] },
      assistant({ type: "tool_use", id: "c2", name: "local_shell", input: { type: "exec" } }),
      { type: "tool_result", callId: "c2", output: "no", isError: true },
      assistant({ type: "tool_use", id: "c3", name: "f", input: "{broken" }),
    ]);
  });
});

describe("importChatMessages()", () => {
  async function* given(...messages: readonly object[]): AsyncGenerator<object> {
    yield* messages;
  }

  it("turns the five roles into events", async () => {
    const called = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
    const custom = { id: "d", type: "custom", custom: { name: "g", input: "raw" } };
    const messages = given(
      { role: "system", content: "Be kind." },
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "go" }], name: "Ann" },
      { role: "assistant", content: null, tool_calls: [called, custom] },
      { role: "tool", tool_call_id: "c", content: "done" },
      { role: "assistant", content: "Done." },
      { role: "critic", content: "Hm." },
    );
    expect(await plain(importChatMessages(messages))).toEqual([
      reminder("Be kind."),
      reminder("Be brief."),
      prompt([text("go")]),
      assistant(
        { type: "tool_use", id: "c", name: "f", input: { a: 1 } },
        { type: "tool_use", id: "d", name: "g", input: "raw" },
      ),
      output("c"),
      { type: "assistant", content: "Done." },
      { type: "messages:critic" },
    ]);
  });

  it("keeps whole what it cannot read, and the fields that events do not have", async () => {
    const odd = { role: "assistant", content: "x", tool_calls: [{ id: 1 }] };
    const events = await collect(
      importChatMessages(given(odd, { role: "user", content: "hi", name: "Ann" })),
    );
    expect(events.map((event) => (event as unknown as Record)["imported"])).toEqual([
      { from: "messages", records: [{ line: 1, value: odd }] },
      { from: "messages", records: [{ line: 2, value: { role: "user", name: "Ann" } }] },
    ]);
  });

  it("refuses what is no message, by its line", async () => {
    const messages = given({ role: "user", content: "hi" }, { line: 7, value: ["secret"] });
    await expect(collect(importChatMessages(messages))).rejects.toMatchObject({
      code: "TRANSCRIPT_MALFORMED",
      message: "Cannot import line 7: wanted a message, an object with a role, met something else",
    });
  });
});

describe.each([
  ["importClaudeCode()", importClaudeCode],
  ["importCodex()", importCodex],
])("%s", (_name, importer) => {
  const good = JSON.stringify({ type: "mode" });

  it("names the first line that is not JSON, and nothing of what is in it", async () => {
    const events: SessionEvent[] = [];
    const failed = (async () => {
      for await (const event of importer([good, "", '{"type":"user","secret'])) events.push(event);
    })();
    await expect(failed).rejects.toMatchObject({
      code: "TRANSCRIPT_MALFORMED",
      message: "Cannot import line 3: wanted one JSON value, met 22 characters that are none",
    });
  });

  it("opens a function twice, and a generator once", async () => {
    let opened = 0;
    const source: TranscriptSource = () => {
      opened += 1;
      return [good, good];
    };
    expect(await collect(importer(source))).toHaveLength(2);
    expect(opened).toBe(2);
    async function* once(): AsyncGenerator<string> {
      yield* [good, good];
    }
    expect(await collect(importer(once()))).toHaveLength(2);
  });

  it("imports what was there when it began of a transcript that grows", async () => {
    const all = [good];
    const source: TranscriptSource = () => {
      all.push(good);
      return [...all];
    };
    expect(await collect(importer(source))).toHaveLength(2);
  });

  it("takes records that were parsed already, and refuses one whole text", async () => {
    expect(await collect(importer([{ line: 5, value: "x" }]))).toMatchObject([
      { imported: { records: [{ line: 5, value: "x" }] } },
    ]);
    await expect(collect(importer(good))).rejects.toThrow("wanted its lines, met one string");
  });
});
