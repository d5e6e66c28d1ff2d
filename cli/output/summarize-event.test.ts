import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarizeEvent, typeLabel } from "./summarize-event.ts";

describe("summarizeEvent()", () => {
  it.each<[object, string]>([
    [{ type: "user", content: " hello\n  there " }, "hello there"],
    [{ type: "summary", summary: "so far", throughSeq: 3 }, "so far"],
    [{ type: "tool_result", callId: "1", output: { ok: true } }, '{"ok":true}'],
    [{ type: "file_snapshot", path: "a.txt", before: { state: "absent" } }, "a.txt (was absent)"],
    [{ type: "background_completed", taskId: "t", output: "done" }, "t: done"],
    [{ type: "permission_decision", callId: "c", allowed: false, reason: "no" }, "denied c: no"],
    [{ type: "imported_value", value: [1] }, "[1]"],
    [{ type: "user", message: { role: "user", content: [{ type: "text", text: "hi" }] } }, "hi"],
    [{ role: "assistant", content: null, text: "t" }, "t"],
    [{ type: "event_msg", payload: { type: "x", message: "said" } }, "said"],
    [{ type: "delta", delta: { n: 1 } }, '{"type":"delta","delta":{"n":1}}'],
    [{ content: ["a", { type: "image", data: "..." }, 7, { odd: 1 }] }, 'a [image] 7 {"odd":1}'],
    [{ type: "tool_started" }, '{"type":"tool_started"}'],
    [{ type: "constructor" }, '{"type":"constructor"}'],
    [{}, "{}"],
  ])("summarizes %j as %s", (event, summary) => {
    expect(summarizeEvent(event)).toBe(summary);
  });

  it("copes with any event, on one line of bounded length", () => {
    const type = fc.constantFrom("user", "tool_result", "file_snapshot", "imported_value", 7, null);
    const fields = fc.dictionary(fc.constantFrom("content", "output", "message"), fc.jsonValue());
    fc.assert(
      fc.property(type, fields, (type, fields) => {
        const event = { ...fields, type };
        expect(summarizeEvent(event)).not.toMatch(/[\n\r]/);
        expect(summarizeEvent(event).length).toBeLessThanOrEqual(1000);
        expect(typeof typeLabel(event)).toBe("string");
      }),
    );
  });
});
