// A coding agent's session, made up but shaped like real ones: a person reports a bug, the agent looks around, edits,
// runs the tests, asks for permission, and gets there after a few wrong turns. The same seed gives the same session.

import { createHash } from "node:crypto";

const seed = 20;

const files = [
  "src/invoice/due-date.ts",
  "src/invoice/format-date.ts",
  "src/invoice/render.ts",
  "src/calendar/holidays.ts",
  "src/calendar/time-zone.ts",
  "test/invoice/due-date.test.ts",
];

const complaints = [
  "Customers in Denver see invoices due one day too early. Can you find out why?",
  "That fixed Denver, but Auckland is now a day late around midnight. Please have another look.",
  "Holidays are still skipped in UTC. Due dates should follow the customer's own calendar.",
  "Good. Please also add a test for the 29th of February, and tidy up what you no longer need.",
];

const thoughts = [
  "The date is parsed as midnight UTC and printed in local time. West of Greenwich that is the day before.",
  "`addDays` works on milliseconds, so a day with a clock change is 23 or 25 hours long.",
  "The test passes here only because this machine runs in UTC. I'll pin the zone in the test.",
  "The holiday table is keyed by local date, but it is asked with a UTC date. These must agree.",
  "Reading once more before editing: two callers depend on the old return type.",
];

const sourceLines = [
  'import { zonedDate } from "../calendar/time-zone.ts";',
  "/** The last day on which an invoice can be paid without a reminder. */",
  "export function dueDate(issued: Date, days: number, zone: string): string {",
  "  const start = zonedDate(issued, zone); // “local” noon, so that no clock change moves the day",
  "  const due = addDays(start, days);",
  "  return isHoliday(due, zone) ? nextWorkday(due, zone) : due;",
  "}",
  "  // Zürich, São Paulo and 東京 each have their own calendar",
];

/** The events of the session, as an agent would append them. */
export function bugFixSession() {
  const random = mulberry32(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const events = [];
  let calls = 0;

  function tool(name, input, output, isError = false) {
    calls += 1;
    const callId = `call_${String(calls).padStart(3, "0")}`;
    events.push({ type: "tool_started", callId, name, input });
    if (name === "edit_file") {
      events.push({ type: "permission_decision", callId, allowed: true, reason: "inside src/" });
      events.push(snapshot(input.path, source(pick, 12)));
    }
    events.push({ type: "tool_result", callId, output, ...(isError ? { isError } : {}) });
  }

  for (const [turn, complaint] of complaints.entries()) {
    events.push({ type: "user", content: complaint, origin: "input" });
    for (let step = 0; step < 6; step += 1) {
      const path = pick(files);
      events.push(assistant(pick(thoughts), 900 + Math.floor(random() * 4_000)));
      tool("read_file", { path }, source(pick, 20 + Math.floor(random() * 30)));
      if (step % 2 === 1) {
        tool("edit_file", { path, patch: source(pick, 6) }, `Edited ${path}`);
        const failing = step < 5;
        tool("run_tests", { pattern: "invoice" }, testOutput(random, failing), failing);
      }
    }
    events.push(assistant(`Done: ${thoughts[turn]} All invoice tests pass now.`, 6_200));
  }
  return events;
}

function assistant(text, inputTokens) {
  const content = [{ type: "text", text }];
  return { type: "assistant", content, usage: { inputTokens, outputTokens: text.length >> 2 } };
}

function snapshot(path, text) {
  const afterHash = createHash("sha256").update(text).digest("hex");
  return { type: "file_snapshot", path, before: { state: "text", text, mode: 0o644 }, afterHash };
}

function source(pick, lines) {
  return Array.from({ length: lines }, () => pick(sourceLines)).join("\n");
}

function testOutput(random, failing) {
  const passed = 40 + Math.floor(random() * 20);
  if (!failing) return `✓ ${passed + 2} tests passed`;
  const difference = 'expected "2026-03-08"\nreceived "2026-03-07"';
  return `✓ ${passed} passed\n✗ 2 failed\n\ndueDate() > America/Denver\n${difference}`;
}

/** A small generator of numbers from 0 to 1 with a fixed sequence; public domain. */
function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
