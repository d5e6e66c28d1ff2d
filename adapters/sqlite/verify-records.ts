import type { StoreFinding } from "../../src/index.ts";
import type { Connection } from "./connection.ts";
import { readTransaction } from "./read-transaction.ts";
import { findSession } from "./session-row.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/** Findings that one session can have; past this the next thousand say nothing new. */
const mostFindings = 100;

const chunkRecords = 4_096;

/** Holes in the seqs and payloads of a wrong type. Reads the start of each record only. */
export function verifyRecords(connection: Connection, sessionId: string): StoreFinding[] {
  const findings: StoreFinding[] = [];
  const report = (seq: number, message: string): void => {
    if (findings.length < mostFindings) {
      findings.push({ code: "CORRUPT_LOG", seq, offset: null, message });
    }
  };
  let next = 1;
  try {
    readTransaction(connection, () => {
      const row = findSession(connection.statements, sessionId);
      if (row === null) return;
      for (let rows = 1; rows > 0 && findings.length < mostFindings;) {
        rows = 0;
        const { shapes } = connection.statements;
        for (const [seq, type] of shapes.iterate(row.id, next - 1, row.id, chunkRecords)) {
          rows += 1;
          if (seq !== next) report(next, `expected seq ${next}, found ${seq}`);
          if (type !== "text" && type !== "blob") report(seq, `its payload is of type ${type}`);
          next = seq + 1;
        }
      }
    });
  } catch (error) {
    if (!(error instanceof Error) || !isCorrupt(error)) throw error;
    report(next, error.message);
  }
  return findings;
}
