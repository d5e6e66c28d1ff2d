import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs";

/** An append-only file without the kit: write, then fdatasync. */
export interface BareLog {
  readonly append: (line: Buffer) => void;
  /** The same with an asynchronous fdatasync, which keeps the event loop free. */
  readonly appendAsync: (line: Buffer) => Promise<void>;
  readonly close: () => void;
}

export function openBareLog(file: string): BareLog {
  const fd = openSync(file, "a");
  return {
    append(line) {
      writeSync(fd, line);
      fdatasyncSync(fd);
    },
    appendAsync(line) {
      writeSync(fd, line);
      return new Promise((resolve, reject) => {
        fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
      });
    },
    close: () => closeSync(fd),
  };
}

/** The bytes the file adapter writes for an event, but for the values around it. */
export function lineOf(event: object): Buffer {
  const ts = "2026-01-01T00:00:00.000Z";
  const content = `{"seq":100000,"ts":"${ts}","left":0,"event":${JSON.stringify(event)}`;
  return Buffer.from(`${content},"crc":"00000000"}\n`);
}
