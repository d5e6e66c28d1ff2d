import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A local server that plays a vendor: it answers each request with the next answer it was given. */
export interface VendorServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: readonly VendorRequest[];
  /** Appends answers. A request that finds none left gets HTTP 400. */
  answer(...answers: readonly VendorAnswer[]): void;
  close(): Promise<void>;
}

/** A request as the server got it. */
interface VendorRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The bytes of its body, as text. */
  readonly body: string;
  /** The client's port: the same for requests over one connection. */
  readonly remotePort: number | undefined;
  /** Resolves when its connection is gone before its answer was over. */
  readonly closed: Promise<void>;
}

/** What to answer: a whole body, or a stream of server-sent events. */
export type VendorAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly body?: string | undefined;
    }
  | {
      /** Written one after the other. */
      readonly pieces: readonly (string | Uint8Array)[];
      /**
       * `end`, the default; `destroy` cuts the connection; `hold` leaves it open until the client closes.
       */
      readonly ending?: "end" | "destroy" | "hold" | undefined;
    }
  /** Cuts the connection in place of an answer. */
  | "refuse"
  /** Says nothing at all, until the client closes. */
  | "silence";

export async function startVendorServer(): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  const answers: VendorAnswer[] = [];
  const server = createServer((incoming, response) => {
    void receive(incoming, response).then(async (request) => {
      requests.push(request);
      await give(answers.shift() ?? { status: 400, body: "no answer is left" }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (...more) => void answers.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<VendorRequest> {
  const closed = new Promise<void>((resolve) => {
    response.on("close", () => {
      if (!response.writableFinished) resolve();
    });
  });
  let body = "";
  incoming.setEncoding("utf8");
  for await (const text of incoming) body += text as string;
  const { url = "", headers, socket } = incoming;
  return { path: url, headers, body, remotePort: socket.remotePort, closed };
}

async function give(answer: VendorAnswer, response: ServerResponse): Promise<void> {
  if (answer === "silence") return;
  if (answer === "refuse") return void response.destroy();
  if ("status" in answer) {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    return void response.end(answer.body);
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of answer.pieces) {
    await new Promise((resolve) => response.write(piece, resolve));
  }
  if (answer.ending === "destroy") response.destroy();
  else if (answer.ending !== "hold") response.end();
}
