/**
 * Goal: real answers come through whole. Method: streams that others recorded of the vendors, replayed
 * by the local server, through the vendors' packages; what was written is read here a second time, in
 * the simplest way, and has to be the same.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, requestOf, textIn } from "../testing/ask.ts";
import { startVendorServer, type VendorServer } from "../testing/vendor-server.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";

const folder = fileURLToPath(
  new URL("../../../shared/data/sessions/ai-sdk-streams", import.meta.url),
);

interface Piece {
  readonly type?: string;
  readonly object?: string;
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly message?: { readonly content: ReadonlyArray<{ readonly type: string }> };
  readonly content_block?: { readonly type: string };
  readonly choices?: ReadonlyArray<{ readonly delta: Readonly<Record<string, unknown>> }>;
}

interface Recording {
  readonly name: string;
  readonly pieces: readonly Piece[];
}

function recordings(): Recording[] {
  if (!existsSync(folder)) {
    console.log("skipped: ../shared/data/sessions/ai-sdk-streams is absent");
    return [];
  }
  return readdirSync(folder).map((name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    const pieces = lines
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as Piece);
    return { name, pieces };
  });
}

const all = recordings();

/** A recording may hold several answers, one after the other. */
const anthropics = all
  .filter(({ pieces }) => pieces[0]?.type === "message_start")
  .flatMap(({ name, pieces }) => {
    const starts = pieces.flatMap(({ type }, index) => (type === "message_start" ? [index] : []));
    return starts.map((start, index) => ({
      name: `${name} ${index + 1}`,
      pieces: pieces.slice(start, starts[index + 1]),
    }));
  });

const openais = all.filter(({ pieces }) => pieces[0]?.object === "chat.completion.chunk");

let server: VendorServer;

beforeAll(async () => {
  server = await startVendorServer();
});

afterAll(() => server.close());

function concat(pieces: readonly Piece[], field: (piece: Piece) => unknown): string {
  return pieces.map((piece) => (field(piece) as string | null | undefined) ?? "").join("");
}

it.skipIf(all.length === 0)(
  "anthropic() reads every recorded answer of the Messages API",
  async () => {
    const model = anthropic({ baseURL: server.url, apiKey: "none" });
    let characters = 0;
    for (const { name, pieces } of anthropics) {
      const events = pieces.map(
        (piece) => `event: ${piece.type}\ndata: ${JSON.stringify(piece)}\n\n`,
      );
      server.answer({ pieces: [events.join("")] });
      const chunks = await ask(model);
      const text = concat(pieces, ({ delta }) => delta?.["text"]);
      expect(textIn(chunks, "text"), name).toBe(text);
      const blocks = pieces.flatMap(({ message, content_block: block }) => [
        ...(message?.content ?? []),
        ...(block === undefined ? [] : [block]),
      ]);
      const kept = blocks.map(({ type }) => type).filter((type) => type !== "text");
      const told = chunks.flatMap((chunk) => {
        if (chunk.type === "block") return [chunk.block.type];
        return chunk.type === "tool_use" ? [chunk.type] : [];
      });
      expect(told, name).toEqual(kept);
      expect(chunks.filter((chunk) => chunk.type === "tool_use" && "inputError" in chunk)).toEqual(
        [],
      );
      characters += text.length;
    }
    console.log(`${anthropics.length} answers of Anthropic, ${characters} characters of text`);
    expect(anthropics.length).toBeGreaterThan(10);
  },
);

it.skipIf(all.length === 0)(
  "openai() reads every recorded answer of Chat Completions",
  async () => {
    const model = openai({ baseURL: server.url, apiKey: "none" });
    let characters = 0;
    for (const { name, pieces } of openais) {
      const events = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`);
      server.answer({ pieces: [events.join(""), "data: [DONE]\n\n"] });
      const chunks = await ask(model, requestOf({ modelName: "m" }));
      const text = concat(pieces, ({ choices }) => choices?.[0]?.delta["content"]);
      const reasoning = concat(pieces, ({ choices }) => {
        const delta = choices?.[0]?.delta;
        return delta?.["reasoning_content"] ?? delta?.["reasoning"];
      });
      expect(textIn(chunks, "text"), name).toBe(text);
      expect(textIn(chunks, "thinking"), name).toBe(reasoning);
      expect(chunks.filter(({ type }) => type === "usage").length, name).toBeGreaterThan(0);
      const calls = chunks.filter((chunk) => chunk.type === "tool_use");
      expect(calls.length > 0, name).toBe(name.includes("tool-call"));
      for (const { input } of calls) expect(input, name).toBeTypeOf("object");
      characters += text.length + reasoning.length;
    }
    console.log(`${openais.length} answers of Chat Completions, ${characters} characters`);
    expect(openais.length).toBeGreaterThan(5);
  },
);
