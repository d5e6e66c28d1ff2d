import { inputError, type Position } from "./position.ts";

/**
 * Bytes of one record, pretty-printing included. What is stored may have at most 16 MiB of JSON
 * text; white space and escapes can make the same record some times longer.
 */
export const maxRecordBytes: number = 64 * 1024 * 1024;

/** The bytes of one record, gathered from the chunks it is spread over. */
export interface Collector {
  /** Adds bytes; `start` is where the record began. */
  readonly add: (bytes: Uint8Array, start: Position) => void;
  /** Everything added since the last call. */
  readonly take: () => Uint8Array;
}

export function createCollector(): Collector {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes, start) {
      if (bytes.length === 0) return;
      size += bytes.length;
      if (size > maxRecordBytes) {
        throw inputError(start, `a record is over ${maxRecordBytes / 1024 / 1024} MiB`);
      }
      parts.push(bytes);
    },
    take() {
      const [first] = parts;
      const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
      parts = [];
      size = 0;
      return whole;
    },
  };
}
