/**
 * Calls `onLine` with every line that arrives. Not with `node:readline`, which throws where a connection
 * breaks, and takes more than a line feed for the end of a line.
 *
 * @param {import("node:net").Socket} socket
 * @param {(line: string) => void} onLine
 */
export function readLines(socket, onLine) {
  /** @type {string[]} */
  let parts = [];
  socket.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    const [first, ...rest] = text.split("\n");
    parts.push(first);
    for (const part of rest) {
      onLine(parts.join(""));
      parts = [part];
    }
  });
}
