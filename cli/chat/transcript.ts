import type { AgentEvent, ContentBlock } from "../../agent/index.ts";
import type { MessageContent, SessionEvent } from "../../src/index.ts";
import type { Context } from "../context.ts";
import { escapeLines, escapeText } from "../output/escape.ts";
import { fit } from "../output/width.ts";

/** A conversation on the screen or in a pipe. */
export interface Transcript {
  /** Shows what happens in an agent, as it happens. */
  readonly live: (event: AgentEvent) => void;
  /** Shows an event of the past as it looked when it was new, a person's prompt included. */
  readonly past: (event: SessionEvent) => void;
  /** A line of its own. */
  readonly line: (text: string) => void;
}

/** Cells for a line about a tool where no terminal sets the width. */
const plainCells = 100;

export function createTranscript({ io, out, style }: Context): Transcript {
  const calls = new Map<string, string>();
  let open: "text" | "thinking" | null = null;
  let heldBack = "";

  const room = (): number => out.columns ?? plainCells;

  function endLine(): void {
    if (open === null) return;
    io.stdout.write(`${escapeLines(heldBack)}\n`);
    open = null;
    heldBack = "";
  }

  function line(text: string): void {
    endLine();
    io.stdout.write(`${text}\n`);
  }

  function piece(kind: "text" | "thinking", text: string): void {
    if (open !== kind) endLine();
    open = kind;
    // A character of two halves may come in two pieces.
    const whole = `${heldBack}${text}`;
    const cut = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
    heldBack = whole.slice(cut);
    const shown = escapeLines(whole.slice(0, cut));
    io.stdout.write(kind === "text" ? shown : style.dim(shown));
  }

  function remember(content: MessageContent): void {
    if (typeof content === "string") return;
    for (const { type, id, name, input } of content as readonly Record<string, unknown>[]) {
      if (type !== "tool_use") continue;
      const path = (input as { path?: unknown } | null)?.path;
      const words = typeof path === "string" ? [name, path] : [name];
      calls.set(String(id), escapeText(words.join(" ")));
    }
  }

  function result({ callId, output, isError }: SessionEvent & { type: "tool_result" }): void {
    const verdict = isError === true ? `failed: ${escapeText(textOf(output))}` : "ok";
    const text = fit(`  ${calls.get(callId) ?? "a tool"}  ${verdict}`, room());
    line(isError === true ? style.bad(text) : style.dim(text));
  }

  return {
    line,
    live(event) {
      if (event.type === "text") piece("text", event.text);
      else if (event.type === "thinking" && out.columns !== null) piece("thinking", event.text);
      else if ("phase" in event && event.phase !== "start" && event.phase !== "progress") {
        endLine();
        if (event.phase === "cancelled") line(style.dim(`(cancelled: ${afterCancel[event.type]})`));
      } else if (event.type === "appended") {
        if (event.event.type === "assistant") remember(event.event.content);
        if (event.event.type === "tool_result") result(event.event);
      }
    },
    past(event) {
      switch (event.type) {
        case "user":
          return line(style.bold(`> ${escapeLines(shownContent(event.content))}`));
        case "assistant": {
          remember(event.content);
          const text = shownContent(event.content);
          return text === "" ? undefined : line(escapeLines(text));
        }
        case "tool_result":
          return result(event);
        case "summary":
          return line(style.dim("(what came before was summarized)"));
        case "restored":
          if (event.restoredFiles.length === 0) return undefined;
          return line(style.dim(`(files went back to before ${event.targetSeq})`));
        default:
          return undefined;
      }
    },
  };
}

const afterCancel = {
  turn: "what was done so far stays",
  compaction: "the conversation is as it was",
  restore: "files and conversation are as they were",
} as const;

/** A message's text; pictures and the like by their type, what tools and models pass on among themselves not at all. */
function shownContent(content: MessageContent): string {
  if (typeof content === "string") return content;
  return (content as readonly ContentBlock[])
    .map((block) => {
      if (block.type === "text") return String((block as { text?: unknown }).text);
      return silent.has(block.type) ? "" : `[${block.type}]`;
    })
    .join("");
}

const silent = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

function textOf(output: unknown): string {
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}
