import type { ModelProvider } from "../model-provider.ts";
import { openaiRequest } from "./openai-request.ts";
import { readOpenai, type CompletionChunk } from "./read-openai.ts";
import type { VendorOptions } from "./vendor-options.ts";
import { loadPackage, vendorProvider } from "./vendor-provider.ts";

/** Where and how to reach OpenAI, or a server that speaks its protocol. */
export interface OpenaiOptions extends VendorOptions {
  /** A client of yours instead of `apiKey` and `baseURL`: with hooks of its own, or of Azure. */
  readonly client?: OpenaiClient | undefined;
}

/** What is used of a client of `openai`. */
export interface OpenaiClient {
  /** Tells OpenAI's own servers from others. */
  readonly baseURL?: string;
  readonly chat: {
    /** The Chat Completions API. */
    readonly completions: {
      /** Sends a request whose `stream` is true; gives back its chunks. */
      create(body: object, options?: object): PromiseLike<unknown>;
    };
  };
}

/**
 * Models of OpenAI and, with `baseURL`, of every server that speaks its Chat Completions API
 * (platform.openai.com/docs/api-reference/chat), such as Ollama, vLLM, llama.cpp, DeepSeek, Groq and
 * OpenRouter; needs the package `openai`, loaded with the first request. Such a server may want no key,
 * but the package does: any word will do.
 *
 * The messages are translated: text, images, calls and results of tools; other blocks are left out. The
 * limit is sent as `max_completion_tokens` to OpenAI and Azure and as `max_tokens` to others. Reasoning
 * that a server shows as `reasoning_content` is kept, and sent back to the same model, which may insist
 * on it; OpenAI's own models keep theirs to themselves. Input tokens include those from the cache.
 *
 * @throws TypeError for `client` beside `apiKey` or `baseURL`, RangeError for a number out of its bounds.
 * `stream()` throws AgentError `DRIVER_MISSING` without the package
 */
export function openai(options: OpenaiOptions = {}): ModelProvider {
  const { apiKey, baseURL, parameters = {} } = options;
  return vendorProvider<OpenaiClient, CompletionChunk>(
    {
      id: "openai",
      open: async () => {
        const { OpenAI } = await loadPackage("openai", () => import("openai"));
        // Its log would print chunks that it cannot read.
        return new OpenAI({ apiKey, baseURL, logLevel: "off" });
      },
      send: (client, request, settings) => {
        const body = openaiRequest(request, client.baseURL ?? "", parameters);
        return client.chat.completions.create(body, settings);
      },
      reader: readOpenai,
    },
    options,
  );
}
