import type { StoredEvent } from "../src/index.ts";

/** Names that a stored event cannot take: the browser's own, and those the stream says of itself. */
const reserved: ReadonlySet<string> = new Set([
  "open",
  "error",
  "message",
  "log_changed",
  "failed",
]);

/**
 * A stored event as one server-sent event (html.spec.whatwg.org/multipage/server-sent-events.html): its
 * JSON is one line whatever its texts hold, because JSON escapes line feeds, and U+2028 ends no line there.
 * A type that is no plain name, or a name that means something else, is left out: the client gets it as
 * `message`.
 */
export function serverSentEvent(generation: string, stored: StoredEvent<object>): string {
  const { type } = stored.event as { readonly type?: unknown };
  const isName = typeof type === "string" && /^[\w.:/-]{1,100}$/.test(type) && !reserved.has(type);
  const name = isName ? `event: ${type}\n` : "";
  return `id: ${eventId(generation, stored.seq)}\n${name}data: ${JSON.stringify(stored)}\n\n`;
}

/** The last thing a stream says of itself: only a code, and nothing of what happened. */
export function closingEvent(name: "log_changed" | "failed", code: string): string {
  // An empty id makes the browser forget the one it has, and its next request start over.
  const id = name === "log_changed" ? "id\n" : "";
  return `${id}event: ${name}\ndata: ${JSON.stringify({ code })}\n\n`;
}

/** A comment, which no client reports and every proxy takes for a sign of life. */
export const heartbeat = ":\n\n";

/** A place in one history of a session. */
export interface EventPosition {
  /** Empty for a session that does not exist. */
  readonly generation: string;
  readonly seq: number;
}

/** The position that a head token or an event's id names, or null for any other text. */
export function parsePosition(text: string): EventPosition | null {
  const match = /^([^:]*):(0|[1-9][0-9]{0,15})$/.exec(text);
  const seq = Number(match?.[2]);
  return match === null || !Number.isSafeInteger(seq) ? null : { generation: match[1] ?? "", seq };
}

/** The position in the `Last-Event-ID` header or the `lastEventId` parameter; the header is newer. */
export function requestedPosition(request: Request): EventPosition | null | "invalid" {
  const id =
    request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("lastEventId");
  if (id === null || id === "") return null;
  const position = parsePosition(id);
  if (position === null || position.generation === "") return "invalid";
  try {
    return { ...position, generation: decodeURIComponent(position.generation) };
  } catch {
    return "invalid";
  }
}

/** Percent-encoded, so that a generation can hold nothing that ends a field or a header. */
function eventId(generation: string, seq: number): string {
  return `${encodeURIComponent(generation)}:${seq}`;
}
