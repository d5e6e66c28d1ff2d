/** Goal: whatever a model or a file says, a terminal shows it and does not act on it. */
import { expect, it } from "vitest";
import { createContext } from "../context.ts";
import { captureStream, type CaptureStream } from "../testing/captured-run.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

function transcriptOn(terminal: boolean): { stdout: CaptureStream; transcript: Transcript } {
  const stdout = captureStream(terminal);
  const io = {
    stdin: (async function* () {})(),
    stdout,
    stderr: captureStream(false),
    env: { NO_COLOR: "1" },
    signal: new AbortController().signal,
  };
  return { stdout, transcript: createTranscript(createContext(io, {})) };
}

const appended = (event: object): never =>
  ({ type: "appended", sessionId: "s", seq: 1, event }) as never;

it("text is shown as it comes, with control characters as escapes and characters whole", () => {
  const { stdout, transcript } = transcriptOn(true);
  transcript.live({ type: "text", text: "a\tb\n\u001b[2Jc \ud83d" });
  expect(stdout.text()).toBe("a\tb\n\\u001b[2Jc ");
  transcript.live({ type: "text", text: "\ude00 \ud800" });
  transcript.live({ type: "turn", phase: "done", sessionId: "s" });
  expect(stdout.text()).toBe("a\tb\n\\u001b[2Jc \ud83d\ude00 \\ud800\n");
});

it("a tool call is one line, whatever its name, path and failure hold", () => {
  const { stdout, transcript } = transcriptOn(true);
  const input = { path: "a\n\u001b[31m" };
  const content = [{ type: "tool_use", id: "1", name: "edit\u0007", input }];
  transcript.live(appended({ type: "assistant", content }));
  const output = `no\nsuch ${"file ".repeat(100)}`;
  transcript.live(appended({ type: "tool_result", callId: "1", output, isError: true }));
  expect(stdout.text()).toMatch(
    /^ {2}edit\\u0007 a\\n\\u001b\[31m {2}failed: no\\nsuch file.*…\n$/,
  );
  expect(stdout.text().length).toBeLessThanOrEqual(81);
});

it("what a model thinks is shown at a terminal, on lines of its own, and not in a pipe", () => {
  for (const [terminal, text] of [
    [true, "Hm.\nYes.\n"],
    [false, "Yes.\n"],
  ] as const) {
    const { stdout, transcript } = transcriptOn(terminal);
    transcript.live({ type: "thinking", text: "Hm." });
    transcript.live({ type: "text", text: "Yes." });
    transcript.live({ type: "turn", phase: "done", sessionId: "s" });
    expect(stdout.text()).toBe(text);
  }
});
