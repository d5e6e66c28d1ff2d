import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A web server on this machine that answers every request as `respond` says. */
export interface EventStreamServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a server.
 *
 * @param cutAfter - asked once a connection: after how many bytes of the body to break it; none: never
 */
export async function serveEvents(
  respond: (request: Request) => Response,
  cutAfter: () => number | undefined = () => undefined,
): Promise<EventStreamServer> {
  const server = createServer((incoming, outgoing) => {
    const left = new AbortController();
    outgoing.on("close", () => left.abort());
    const headers = incoming.headers as Record<string, string>;
    const url = `http://${incoming.headers.host}${incoming.url}`;
    const response = respond(new Request(url, { headers, signal: left.signal }));
    void send(response, outgoing, cutAfter());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(
  { status, headers, body }: Response,
  outgoing: ServerResponse,
  cutAfter = Infinity,
): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  async function* cut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let left = cutAfter;
    for await (const chunk of chunks) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) throw new Error("the connection broke");
    }
  }
  try {
    await pipeline(Readable.fromWeb(body as never), cut, outgoing);
  } catch {
    outgoing.destroy();
  }
}
