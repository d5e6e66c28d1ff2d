import { connect } from "node:net";
import { CheckpointError } from "checkpointer-kit";
import { readLines } from "./lines.js";

/**
 * A connection to a minikv server, made when it is first needed and again after it broke.
 *
 * @param {string} address path of the server's socket
 * @returns a function that sends a command and resolves to its answer; server.js lists them. It rejects
 * with `IO_FAILED` when nothing was changed, with `OUTCOME_UNKNOWN` when a change was sent and its answer
 * never came, and with `CLOSED` after its `close()`
 */
export function connectTo(address) {
  /** @type {import("node:net").Socket | undefined} */
  let socket;
  /** @type {{ name: string, resolve: (answer: any) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  let closed = false;

  function open() {
    const opened = connect(address);
    let connected = false;
    opened.on("connect", () => (connected = true));
    // What follows an error is "close", and that is where it is told.
    opened.on("error", () => undefined);
    opened.on("close", () => {
      socket = undefined;
      for (const { name, reject } of waiting.splice(0)) {
        if (connected && name === "exec") reject(failure("OUTCOME_UNKNOWN"));
        else reject(failure(closed ? "CLOSED" : "IO_FAILED"));
      }
    });
    readLines(opened, (line) => {
      waiting.shift()?.resolve(JSON.parse(line));
      // A call keeps the process alive, an open handle does not.
      if (waiting.length === 0) opened.unref();
    });
    return opened;
  }

  /** @param {string} name @param {...unknown} rest @returns {Promise<any>} */
  function call(name, ...rest) {
    return new Promise((resolve, reject) => {
      if (closed) throw failure("CLOSED");
      socket ??= open();
      socket.ref();
      waiting.push({ name, resolve, reject });
      socket.write(`${JSON.stringify([name, ...rest])}\n`);
    });
  }
  call.close = () => {
    closed = true;
    socket?.destroy();
  };
  return call;
}

const messages = {
  IO_FAILED: "The minikv server cannot be reached",
  OUTCOME_UNKNOWN: "The connection to the minikv server broke before the answer came",
  CLOSED: "The connection to the minikv server was closed",
};

/** @param {keyof typeof messages} code */
function failure(code) {
  return new CheckpointError(code, messages[code]);
}
