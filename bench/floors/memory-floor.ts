import type { Floor } from "./floor.ts";

/** An array of JSON texts. */
export function openMemoryFloor(): Floor {
  const log: string[] = [];
  const logs: Array<{ readonly name: string; readonly changed: number }> = [];
  return {
    append(events) {
      for (const event of events) log.push(JSON.stringify(event));
    },
    clear: () => void (log.length = 0),
    read: () => parseAll(log),
    readLast: (count) => parseAll(log.slice(-count)),
    fillLogs(count) {
      for (let index = 0; index < count; index += 1)
        logs.push({ name: `s${index}`, changed: index });
    },
    list: () => logs.toSorted((left, right) => right.changed - left.changed).length,
    close: () => undefined,
  };
}

function parseAll(texts: readonly string[]): number {
  let count = 0;
  for (const text of texts) if (JSON.parse(text) !== null) count += 1;
  return count;
}
