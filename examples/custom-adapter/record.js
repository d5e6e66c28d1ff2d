import { CorruptLogError } from "checkpointer-kit";

/**
 * The text a record is kept as. Payloads are text, or bytes where a codec made them.
 *
 * @param {import("checkpointer-kit").StoredRecord} record
 */
export function formatRecord({ payload, ...rest }) {
  if (typeof payload === "string") return JSON.stringify({ ...rest, payload });
  return JSON.stringify({ ...rest, bytes: Buffer.from(payload).toString("base64") });
}

/**
 * The record that was kept as `text`.
 *
 * @param {string} sessionId
 * @param {number} seq
 * @param {string | undefined} text undefined when there is none
 * @returns {import("checkpointer-kit").StoredRecord}
 * @throws CorruptLogError when it is not the record at `seq`
 */
export function parseRecord(sessionId, seq, text) {
  if (text === undefined) throw damagedAt(sessionId, seq, "is missing");
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw damagedAt(sessionId, seq, "is no JSON");
  }
  if (parsed?.seq !== seq) throw damagedAt(sessionId, seq, "is another one");
  const { bytes, ...record } = parsed;
  return bytes === undefined
    ? record
    : { ...record, payload: Uint8Array.from(Buffer.from(bytes, "base64")) };
}

function damagedAt(sessionId, seq, fault) {
  return new CorruptLogError(sessionId, seq, null, `the record ${fault}`);
}
