import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { ServerReach } from "../fixture.ts";

/** Where a connection breaks: what was sent gets lost, or what was answered. */
export type Cut = "before the server has it" | "before the answer arrives";

/** A relay between a store and its server, which breaks connections and keeps things back. */
export interface Relay {
  /** The port that handles are opened at. */
  readonly port: number;
  /** Breaks the connection that sends the `at`-th piece from now on. */
  arm(where: Cut, at: number): void;
  /** Keeps back the `at`-th piece from now on, and what follows it; resolves once it is there. */
  hold(at: number): Promise<void>;
  /** Lets go what is kept back, if anything is. */
  release(): void;
  /** Stops that; how many pieces were sent since, and whether a connection was broken. */
  disarm(): { readonly pieces: number; readonly fired: boolean };
  /** Breaks every connection. */
  breakAll(): void;
  /** Whether it takes no connections. */
  refuse(isRefusing: boolean): void;
}

/** Runs `work` with a relay in front of a server, and takes it away whatever happens. */
export async function withRelay<T>(
  { host, port: target }: ServerReach,
  work: (relay: Relay) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  let plan: { where: Cut; at: number } | undefined;
  let holding: { at: number; held: () => void } | undefined;
  let letGo: (() => void) | undefined;
  let pieces = 0;
  let fired = false;
  let isRefusing = false;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket.setNoDelay(true));
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const listener = createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = keep(connect(target, host));
    let isDeaf = false;
    keep(client).on("data", (piece) => {
      pieces += 1;
      if (plan?.at === pieces) {
        fired = true;
        if (plan.where === "before the server has it") {
          client.destroy();
          return;
        }
        isDeaf = true;
      }
      if (holding?.at === pieces) {
        client.pause();
        letGo = () => {
          server.write(piece);
          client.resume();
        };
        holding.held();
        return;
      }
      server.write(piece);
    });
    server.on("data", (answer) => {
      // A piece may be less than a request, so the connection breaks at the first answer behind it.
      if (isDeaf) client.destroy();
      else client.write(answer);
    });
    server.on("close", () => client.destroy());
    client.on("close", () => server.end());
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  try {
    return await work({
      port: (listener.address() as AddressInfo).port,
      arm(where, at) {
        plan = { where, at };
        pieces = 0;
        fired = false;
      },
      hold(at) {
        pieces = 0;
        return new Promise((held) => void (holding = { at, held }));
      },
      release() {
        holding = undefined;
        letGo?.();
        letGo = undefined;
      },
      disarm() {
        plan = undefined;
        return { pieces, fired };
      },
      breakAll,
      refuse(refuses) {
        isRefusing = refuses;
      },
    });
  } finally {
    breakAll();
    listener.close();
  }
}
