import { AgentError } from "../agent-error.ts";
import type { ModelProvider, ModelRequest } from "../model-provider.ts";
import { checkVendorOptions, defaultTimeoutMs, type VendorOptions } from "./vendor-options.ts";
import { vendorStream, type AnswerReader } from "./vendor-stream.ts";

/** What differs from vendor to vendor. */
export interface Vendor<Client, Event> {
  readonly id: string;
  /** Makes a client from the options. Called with the first request. */
  readonly open: () => Promise<Client>;
  /** Sends one request; gives back its events. */
  readonly send: (client: Client, request: ModelRequest, settings: object) => PromiseLike<unknown>;
  readonly reader: (request: ModelRequest) => AnswerReader<Event>;
}

/** A provider over a vendor's package. */
export function vendorProvider<Client extends object, Event>(
  { id, open, send, reader }: Vendor<Client, Event>,
  options: VendorOptions & { readonly client?: Client | undefined },
): ModelProvider {
  checkVendorOptions(options);
  const { timeoutMs = defaultTimeoutMs } = options;
  let client = options.client;
  return {
    id,
    stream: (request, signal) =>
      vendorStream(
        {
          id,
          send: async (ended) => {
            client ??= await open();
            const events = await send(client, request, settingsOf(options, ended));
            return events as AsyncIterable<Event>;
          },
          reader: reader(request),
          timeoutMs,
          secrets: () => secretsOf(options, client),
        },
        signal,
      ),
  };
}

/**
 * Loads a vendor's package, which is an optional peer.
 *
 * @throws AgentError `DRIVER_MISSING`
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new AgentError(
      "DRIVER_MISSING",
      `Cannot ask the model: ${name} is missing, run \`npm install ${name}\``,
      { cause: error },
    );
  }
}

/** How both packages are told of one request's limits; what is not said is the client's. */
function settingsOf({ maxRetries, timeoutMs }: VendorOptions, signal: AbortSignal): object {
  return {
    signal,
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  };
}

/** The keys in use: given, or found by the vendor's package. */
function secretsOf({ apiKey }: VendorOptions, client: object | undefined): string[] {
  const { apiKey: found, authToken } = (client ?? {}) as { apiKey?: unknown; authToken?: unknown };
  return [apiKey, found, authToken].filter((secret) => typeof secret === "string");
}
