/** An event as an `EventSource` dispatches it. */
export interface DispatchedEvent {
  readonly name: string;
  readonly data: string;
  readonly lastEventId: string;
}

/** What has come out of a stream so far. */
export interface EventStreamParser {
  readonly add: (bytes: Uint8Array) => DispatchedEvent[];
  /** As the next connection would send it. */
  readonly lastEventId: () => string;
  readonly comments: () => number;
}

/**
 * A parser by the letter of html.spec.whatwg.org/multipage/server-sent-events.html (9.2.6): any line end,
 * comments, fields without a value, and nothing dispatched of an event that was cut off.
 *
 * @param lastEventId - what the connection before this one ended with
 */
export function eventStreamParser(lastEventId = ""): EventStreamParser {
  const decoder = new TextDecoder();
  let rest = "";
  let id = lastEventId;
  let dispatchedId = lastEventId;
  let name = "";
  let data = "";
  let comments = 0;

  function dispatch(): DispatchedEvent[] {
    dispatchedId = id;
    const event = {
      name: name === "" ? "message" : name,
      data: data.slice(0, -1),
      lastEventId: id,
    };
    const isEmpty = data === "";
    name = "";
    data = "";
    return isEmpty ? [] : [event];
  }

  function field(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) comments += 1;
    const key = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (key === "event") name = value;
    if (key === "data") data += `${value}\n`;
    if (key === "id" && !value.includes("\0")) id = value;
  }

  return {
    add(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      const events: DispatchedEvent[] = [];
      for (;;) {
        const end = /\r\n|\n|\r(?!$)/.exec(rest);
        if (end === null) return events;
        const line = rest.slice(0, end.index);
        rest = rest.slice(end.index + end[0].length);
        if (line === "") events.push(...dispatch());
        else field(line);
      }
    },
    lastEventId: () => dispatchedId,
    comments: () => comments,
  };
}
