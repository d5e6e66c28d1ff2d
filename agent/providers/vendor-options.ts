/** What `anthropic()` and `openai()` share. */
export interface VendorOptions {
  /** Default: where the vendor's package looks, an environment variable first. */
  readonly apiKey?: string | undefined;
  /** Another server that speaks the vendor's protocol. */
  readonly baseURL?: string | undefined;
  /**
   * How often a request is sent again after HTTP 408, 409, 429, 5xx or a connection that failed, as long
   * as the vendor has not begun to answer. The pause is what `retry-after` says, else it grows from half
   * a second. From 0; default 2, or what the given client says.
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long the vendor may be silent before its answer and between its events, in ms, 1 to 2,147,483,647.
   * Default 600,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * More fields of the request's body, in the vendor's words, over those that are made from the request:
   * `{ temperature: 0 }`.
   */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** What both vendors' packages wait for an answer: a model may think for minutes before it says anything. */
export const defaultTimeoutMs = 600_000;

/** More overflows the 32 bits of a timer, which then fires at once. */
const maxTimeoutMs = 2 ** 31 - 1;

/**
 * Refuses what cannot be meant.
 *
 * @throws TypeError for `apiKey` or `baseURL` beside a client, which has its own
 * @throws RangeError for a number out of its bounds
 */
export function checkVendorOptions(options: VendorOptions & { readonly client?: unknown }): void {
  const { client, maxRetries = 0, timeoutMs = defaultTimeoutMs } = options;
  for (const name of ["apiKey", "baseURL"] as const) {
    if (client !== undefined && options[name] !== undefined) {
      throw new TypeError(`${name}: wanted nothing beside client, which has its own`);
    }
  }
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    throw new RangeError(`maxRetries: wanted a whole number from 0, met ${maxRetries}`);
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > maxTimeoutMs) {
    const wanted = `a whole number from 1 to ${maxTimeoutMs}`;
    throw new RangeError(`timeoutMs: wanted ${wanted}, met ${timeoutMs}`);
  }
}
