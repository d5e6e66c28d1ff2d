/**
 * Goal: whatever a log holds, a model's vendor gets a conversation it accepts, with everything in it that was said.
 * Method: examples of logs that vendors refuse as they stand, and a property over random ones.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent, StoredEvent } from "../src/index.ts";
import { fuzz } from "../test/contract/fuzz.ts";
import { messagesOf } from "./conversation.ts";
import { isToolResult, isToolUse, type Message } from "./message.ts";
import { isPrompt } from "./prompts.ts";
import { emptyState, foldEvent } from "./session-state.ts";

function conversationOf(events: readonly SessionEvent[]): Message[] {
  const state = emptyState();
  for (const [index, event] of events.entries()) {
    const stored: StoredEvent = {
      seq: index + 1,
      sessionId: "s",
      parentSeq: index || null,
      ts: "",
      event,
    };
    foldEvent(state, stored);
  }
  return messagesOf(state.conversation);
}

const use = (id: string): { type: string; id: string; name: string; input: object } => ({
  type: "tool_use",
  id,
  name: "t",
  input: {},
});

test("results come right behind their calls, whatever was said in between", () => {
  const messages = conversationOf([
    { type: "user", content: "go" },
    { type: "assistant", content: [use("a"), use("b")] },
    { type: "tool_result", callId: "b", output: "B" },
    { type: "user", content: "hurry" },
    { type: "tool_result", callId: "a", output: { deep: 1 }, isError: true },
    { type: "assistant", content: "done" },
  ]);
  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: "go" }] },
    { role: "assistant", content: [use("a"), use("b")] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: '{"deep":1}', is_error: true },
        { type: "tool_result", tool_use_id: "b", content: "B" },
        { type: "text", text: "hurry" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "done" }] },
  ]);
});

const id = fc.constantFrom("a", "b", "c", "d");
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.record({ type: fc.constant("user" as const), content: fc.constantFrom("", "hi", "more") }),
  fc.record({
    type: fc.constant("assistant" as const),
    content: fc.oneof(
      fc.constantFrom("", "yes"),
      fc.uniqueArray(id).map((ids) => ids.map(use)),
    ),
  }),
  fc.record({ type: fc.constant("tool_result" as const), callId: id, output: fc.constant("out") }),
  fc.record({
    type: fc.constant("summary" as const),
    summary: fc.constant("so far"),
    throughSeq: fc.nat({ max: 12 }),
  }),
);

test("roles alternate, a user begins, each call has one result and no result is without its call", () => {
  const check = fc.property(fc.array(event, { maxLength: 12 }), (events) => {
    const messages = conversationOf(events);
    for (const [index, { role, content }] of messages.entries()) {
      expect(role).toBe(index % 2 === 0 ? "user" : "assistant");
      expect(content.length).toBeGreaterThan(0);
      const results = content.filter(isToolResult).map((block) => block.tool_use_id);
      const before = messages[index - 1]?.content.filter(isToolUse) ?? [];
      expect(results).toEqual(role === "user" ? before.map((block) => block.id) : []);
      if (role === "assistant" && content.some(isToolUse)) {
        expect(messages[index + 1]?.role).toBe("user");
      }
    }
  });
  fc.assert(check, fuzz(2_000));
});

test.each<[boolean, SessionEvent]>([
  [true, { type: "user", content: "typed", origin: "input" }],
  [true, { type: "user", content: "<system-reminder> typed", origin: "input" }],
  [true, { type: "user", content: "typed in an older log" }],
  [true, { type: "user", content: [{ type: "image", source: {} }] }],
  [true, { type: "user", content: [{ type: "text", text: "in blocks" }, { type: "image" }] }],
  [false, { type: "user", content: "typed", origin: "reminder" }],
  [false, { type: "user", content: "typed", origin: "repair" }],
  [false, { type: "user", content: "<system-reminder>be brief" }],
  [false, { type: "user", content: "[Request interrupted by user]" }],
  [false, { type: "user", content: "<command-name>/clear</command-name>" }],
  [false, { type: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "" }] }],
  [false, { type: "user", content: "  " }],
  [false, { type: "assistant", content: "said" }],
  [false, { type: "background_completed", taskId: "t", output: "" }],
])("isPrompt() is %j for %j", (expected, one) => {
  expect(isPrompt(one)).toBe(expected);
});
