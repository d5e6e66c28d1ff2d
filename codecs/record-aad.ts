import { allocate, utf8 } from "./bytes.ts";

/**
 * What a record's tag vouches for besides its plaintext, as docs/format.md specifies it.
 *
 * Every part has its length in front, so that no two places have the same bytes.
 *
 * @param previousTag - tag of the record before; empty for the first one and without a chain
 */
export function recordAad(
  header: Uint8Array,
  sessionId: Uint8Array,
  seq: number,
  ts: string,
  previousTag: Uint8Array,
): Uint8Array {
  const time = timeBytes(ts);
  const parts = header.length + sessionId.length + time.length + previousTag.length;
  const size = parts + 4 * 4 + 8;
  const aad = allocate(size);
  const view = new DataView(aad.buffer, aad.byteOffset);
  let offset = 0;
  const add = (bytes: Uint8Array): void => {
    view.setUint32(offset, bytes.length);
    aad.set(bytes, offset + 4);
    offset += 4 + bytes.length;
  };
  add(header);
  add(sessionId);
  view.setUint32(offset, Math.floor(seq / 2 ** 32));
  view.setUint32(offset + 4, seq >>> 0);
  offset += 8;
  add(time);
  add(previousTag);
  return aad;
}

let lastTs = "";
let lastBytes = utf8(lastTs);

/** Records of one batch share their timestamp, and encoding it costs more than comparing. */
function timeBytes(ts: string): Uint8Array {
  if (ts === lastTs) return lastBytes;
  lastTs = ts;
  lastBytes = utf8(ts);
  return lastBytes;
}
