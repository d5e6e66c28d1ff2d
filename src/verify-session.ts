import type { VerifyFinding, VerifyReport } from "./checkpointer.ts";
import { CheckpointError, CorruptLogError, isCheckpointError } from "./errors.ts";
import { parseEvent } from "./decode-record.ts";
import { readPages, type ReadContext } from "./read-events.ts";

const everything = {
  sinceSeq: 0,
  untilSeq: Number.MAX_SAFE_INTEGER,
  limit: Infinity,
  reverse: false,
};

/** Reads and decodes a whole session and reports what is wrong with it. Changes nothing. */
export async function verifySession(
  context: ReadContext,
  sessionId: string,
): Promise<VerifyReport> {
  const findings: VerifyFinding[] = [];
  let records = 0;
  try {
    for await (const page of readPages(context, sessionId, everything, undefined)) {
      for (const { record, text } of page) {
        parseEvent(context.codec, sessionId, record.seq, text);
        records += 1;
      }
    }
  } catch (error) {
    findings.push(findingOf(error, records + 1));
  }
  for (const finding of (await context.store.verify?.(sessionId)) ?? []) {
    const known = findings.some(({ code, seq }) => code === finding.code && seq === finding.seq);
    if (!known) findings.push(finding);
  }
  return {
    sessionId,
    ok: findings.every(({ code }) => code === "TORN_TAIL"),
    records,
    findings,
  };
}

function findingOf(error: unknown, seq: number): VerifyFinding {
  if (error instanceof CorruptLogError) {
    return { code: error.code, seq: error.seq, offset: error.offset, message: error.message };
  }
  if (!isCheckpointError(error) || error.code === "CLOSED") throw error;
  return { code: error.code, seq, offset: null, message: error.message };
}

/** Refuses an operation that the store does not have. */
export function notSupported(operation: string): CheckpointError {
  return new CheckpointError("NOT_SUPPORTED", `This adapter cannot ${operation}`);
}
