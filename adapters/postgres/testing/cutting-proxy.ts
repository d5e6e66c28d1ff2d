import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { atEnd, serverUrl } from "./server.ts";

/** Where a connection is cut: in front of the server, or on the way back. */
export type Cut = "before the server has it" | "before the answer arrives";

/** A relay in front of the server. */
export interface CuttingProxy {
  /** Connection string that leads through it. */
  readonly url: string;
  /** Cuts the next connection whose statement holds `text`, and may refuse all others from then on. */
  cut(where: Cut, text: string, options?: { readonly thenRefuses: boolean }): void;
  /** Keeps back the next statement that holds `text`, and breaks the client's side at once. */
  hold(text: string): void;
  /** Lets what was kept back go to the server; resolves when the server has answered it. */
  release(): Promise<void>;
  /** Refuses connections from now on, or takes them again, and breaks those that are there. */
  refuse(isRefusing: boolean): void;
  /** How many cuts there were. */
  readonly cuts: number;
}

/** Relays to the server of the test run. */
export async function startProxy(url: string = serverUrl): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let plan: { where: Cut | "hold"; text: string; thenRefuses: boolean } | undefined;
  let isRefusing = false;
  let cuts = 0;
  let held: { server: Socket; chunk: Buffer } | undefined;

  const proxy = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    let answers = true;
    client.on("data", (chunk) => {
      if (isRefusing) {
        server.destroy();
        return;
      }
      if (plan === undefined || !chunk.includes(plan.text)) {
        server.write(chunk);
        return;
      }
      const { where, thenRefuses } = plan;
      plan = undefined;
      cuts += 1;
      answers = false;
      isRefusing = thenRefuses;
      if (where === "before the answer arrives") {
        server.write(chunk);
        // The answer is read and thrown away, so the server is done when the client's side breaks.
        server.once("data", () => client.resetAndDestroy());
        return;
      }
      if (where === "hold") held = { server, chunk };
      else server.destroy();
      client.resetAndDestroy();
    });
    server.on("data", (chunk) => void (answers && client.write(chunk)));
    server.on("close", () => client.destroy());
    client.on("close", () => {
      if (held?.server !== server) server.end();
    });
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    get cuts() {
      return cuts;
    },
    cut(where, text, { thenRefuses } = { thenRefuses: false }) {
      plan = { where, text, thenRefuses };
    },
    hold(text) {
      plan = { where: "hold", text, thenRefuses: false };
    },
    async release() {
      const late = held;
      held = undefined;
      if (late === undefined) throw new Error("nothing was kept back");
      const answered = new Promise<void>(
        (resolve) => void late.server.once("data", () => resolve()),
      );
      late.server.write(late.chunk);
      await answered;
      late.server.destroy();
    },
    refuse(refuses) {
      isRefusing = refuses;
      if (refuses) for (const socket of sockets) socket.destroy();
    },
  };
}
