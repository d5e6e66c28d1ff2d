import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { ModelProvider } from "../model-provider.ts";
import { anthropicRequest } from "./anthropic-request.ts";
import { readAnthropic } from "./read-anthropic.ts";
import type { VendorOptions } from "./vendor-options.ts";
import { loadPackage, vendorProvider } from "./vendor-provider.ts";

/** Where and how to reach Anthropic. */
export interface AnthropicOptions extends VendorOptions {
  /** A client of yours instead of `apiKey` and `baseURL`: with hooks of its own, or of Bedrock or Vertex. */
  readonly client?: AnthropicClient | undefined;
}

/** What is used of a client of `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  /** The Messages API. */
  readonly messages: {
    /** Sends a request whose `stream` is true; gives back its events. */
    create(body: object, options?: object): PromiseLike<unknown>;
  };
}

/**
 * Models of Anthropic by its Messages API (docs.anthropic.com/en/api/messages); needs the package
 * `@anthropic-ai/sdk`, loaded with the first request.
 *
 * What the model thinks is shown as it comes, and its signed blocks are sent back unchanged. Input tokens
 * include those read from and written to the cache; it is used when `parameters` says so, as in
 * `{ cache_control: { type: "ephemeral" } }`. Citations, and the `caller` of a tool that the model's own
 * code calls, are not kept.
 *
 * @throws TypeError for `client` beside `apiKey` or `baseURL`, RangeError for a number out of its bounds.
 * `stream()` throws AgentError `DRIVER_MISSING` without the package
 */
export function anthropic(options: AnthropicOptions = {}): ModelProvider {
  const { apiKey, baseURL, parameters = {} } = options;
  return vendorProvider<AnthropicClient, RawMessageStreamEvent>(
    {
      id: "anthropic",
      open: async () => {
        const load = () => import("@anthropic-ai/sdk");
        const { Anthropic } = await loadPackage("@anthropic-ai/sdk", load);
        // Its log would print events that it cannot read.
        return new Anthropic({ apiKey, baseURL, logLevel: "off" });
      },
      send: ({ messages }, request, settings) =>
        messages.create(anthropicRequest(request, parameters), settings),
      reader: () => readAnthropic(),
    },
    options,
  );
}
