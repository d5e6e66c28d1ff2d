import type { SessionEvent } from "../../src/index.ts";
import { seededRandom } from "../seeded-random.ts";

/** What a JSON text of these events measures, in characters: close to the mean of real agent sessions. */
const targetLength = 1_024;

/** What tools print is where other characters than ASCII are found: in a quarter of these events. */
const testOutput = "✓ 41 tests passed\n";

const sentences = [
  "The date is parsed as midnight UTC and printed in local time. ",
  'It says "expected 2026-03-08, received 2026-03-07".\n',
  "  const due = addDays(start, days);\n",
  "Reading src/invoice/due-date.ts before editing it. ",
  "Both callers depend on the time zone as well.\n",
  "Both callers depend on the old return type. ",
];

/** Events of a coding agent's session, each of about 1 KiB. The same count gives the same events. */
export function agentEvents(count: number, length: number = targetLength): SessionEvent[] {
  const random = seededRandom(20);
  return Array.from({ length: count }, (_, index) => eventOf(index, random, length));
}

function eventOf(index: number, random: () => number, length: number): SessionEvent {
  const text = textOf(random, length - 120);
  const callId = `call_${String(index).padStart(8, "0")}`;
  switch (index % 4) {
    case 0:
      return { type: "tool_started", callId, name: "edit_file", input: { path: "a.ts", text } };
    case 1:
      return { type: "tool_result", callId, output: testOutput + text, isError: false };
    case 2:
      return {
        type: "assistant",
        content: [{ type: "text", text }],
        model: "example-1",
        usage: { inputTokens: 4_000 + index, outputTokens: 200 },
      };
    default:
      return { type: "user", content: text, origin: "input" };
  }
}

function textOf(random: () => number, length: number): string {
  let text = "";
  while (text.length < length) text += sentences[Math.floor(random() * sentences.length)];
  return text.slice(0, length);
}
