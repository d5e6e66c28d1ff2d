import type { ContentBlock, Message } from "../message.ts";
import type { ModelChunk, ModelProvider, ModelRequest } from "../model-provider.ts";

/** A request that says `Hello.` unless told otherwise. */
export function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  const hello: Message = { role: "user", content: [{ type: "text", text: "Hello." }] };
  return { modelName: "m", messages: [hello], tools: [], maxTokens: 100, ...fields };
}

/** All chunks of one answer. */
export async function ask(
  provider: ModelProvider,
  request: ModelRequest = requestOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of provider.stream(request, signal)) chunks.push(chunk);
  return chunks;
}

/** The text in chunks of one type, put together. */
export function textIn(chunks: readonly ModelChunk[], type: "text" | "thinking"): string {
  return chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
}

/** A message of a person. */
export function user(...content: ContentBlock[]): Message {
  return { role: "user", content };
}

/** A message of a model. */
export function assistant(...content: ContentBlock[]): Message {
  return { role: "assistant", content };
}

/** A block of text. */
export function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
