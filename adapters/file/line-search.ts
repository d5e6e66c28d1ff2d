import { readAt, type FilePort } from "./file-port.ts";
import { newline, peekSeq } from "./record-line.ts";

/** Below this distance reading on is cheaper than another probe. */
const closeEnough = 32 * 1024;

/** Bytes of one probe; most lines fit, longer ones take more probes. */
const probeLength = 4 * 1024;

/**
 * An offset where a line starts, at or before the line of `seq`, found by binary search over byte
 * offsets. Seqs only grow along the file, so the distance left is at most `closeEnough` or one
 * line. Bytes that do not start like a record only make the result earlier.
 *
 * @param start - offset of the first record's line
 * @param end - offset behind the last line
 */
export function findLineBefore(
  port: FilePort,
  fd: number,
  start: number,
  end: number,
  seq: number,
): number {
  let low = start;
  let high = end;
  while (high - low > closeEnough) {
    const middle = low + Math.floor((high - low) / 2);
    const line = nextLine(port, fd, middle, high);
    if (line === null || line.seq === null || line.seq > seq) high = middle;
    else low = line.offset;
  }
  return low;
}

/** The first line that starts behind `offset` and before `end`, with the seq it claims. */
function nextLine(
  port: FilePort,
  fd: number,
  offset: number,
  end: number,
): { offset: number; seq: number | null } | null {
  for (let position = offset; position < end; position += probeLength) {
    const bytes = readAt(port, fd, position, probeLength);
    const found = bytes.indexOf(newline);
    if (found === -1) continue;
    const lineOffset = position + found + 1;
    if (lineOffset >= end) return null;
    const rest = bytes.length - (found + 1) >= 32 ? bytes.subarray(found + 1) : null;
    return { offset: lineOffset, seq: peekSeq(rest ?? readAt(port, fd, lineOffset, 32), 0) };
  }
  return null;
}
