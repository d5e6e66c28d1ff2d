import type { SessionEvent } from "../src/index.ts";
import { seededRandom } from "./seeded-random.ts";

/** Of the JSON texts, in bytes, as measured in real agents' sessions; sizes are log-normal. */
const medianBytes = 0.6 * 1_024;
const p99Bytes = 40 * 1_024;
/** What is rarer than one in thousands would make short runs differ by luck. */
const mostBytes = 128 * 1_024;
/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326;

/** One turn of an agent: a prompt, an answer, three tools with their results, a file before its change. */
const turn = [
  "user",
  "assistant",
  "tool_started",
  "tool_result",
  "tool_started",
  "tool_result",
  "tool_started",
  "tool_result",
  "file_snapshot",
] as const;

const sentences = [
  "The date is parsed as midnight UTC and printed in local time. ",
  'It says "expected 2026-03-08, received 2026-03-07".\n',
  "  const due = addDays(start, days);\n",
  "Reading src/invoice/due-date.ts before editing it. ",
  "✓ 41 tests passed, 2 skipped\n",
  "Both callers depend on the old return type. ",
];

/** Events of a coding agent's session, in the order of its turns. The same seed gives the same events. */
export function eventMix(count: number, seed: number): readonly SessionEvent[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const length = Math.min(mostBytes, Math.max(64, logNormal(random)));
    return eventOf(index, textOf(random, length));
  });
}

function logNormal(random: () => number): number {
  const deviation = Math.log(p99Bytes / medianBytes) / z99;
  // Box and Muller: two even numbers make one that is normal.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.round(medianBytes * Math.exp(deviation * normal));
}

function eventOf(index: number, text: string): SessionEvent {
  const kind = turn[index % turn.length] ?? "user";
  const callId = `call_${String(Math.floor(index / 2)).padStart(8, "0")}`;
  switch (kind) {
    case "user":
      return { type: "user", content: text, origin: "input" };
    case "assistant":
      return {
        type: "assistant",
        content: [{ type: "text", text }],
        model: "example-1",
        usage: { inputTokens: 4_000 + index, outputTokens: 200 },
      };
    case "tool_started":
      return { type: "tool_started", callId, name: "edit_file", input: { path: "a.ts", text } };
    case "tool_result":
      return { type: "tool_result", callId, output: text, isError: false };
    case "file_snapshot":
      return {
        type: "file_snapshot",
        path: "src/invoice/due-date.ts",
        before: { state: "text", text, mode: 0o644 },
        afterHash: null,
      };
  }
}

function textOf(random: () => number, length: number): string {
  const pieces: string[] = [];
  let left = length;
  while (left > 0) {
    const sentence = sentences[Math.floor(random() * sentences.length)] ?? " ";
    pieces.push(sentence.slice(0, left));
    left -= sentence.length;
  }
  return pieces.join("");
}
