import type { BenchReport } from "../bench-report.ts";

/** Whether both reports appended the same events, so that their bytes can be compared. */
export function haveSameEvents(base: BenchReport, next: BenchReport): boolean {
  const of = ({ input, seed }: BenchReport): string => {
    const { name, events, medianBytes, p99Bytes } = input;
    return JSON.stringify([name, events, medianBytes, p99Bytes, seed]);
  };
  return of(base) === of(next);
}

/** Sentences about what differs between the runs and is none of the code's doing. */
export function differencesOf(base: BenchReport, next: BenchReport): readonly string[] {
  const [left, right] = [conditionsOf(base), conditionsOf(next)];
  const sentences = left.flatMap(([name, value], index) => {
    const other = right[index]?.[1] ?? value;
    return value === other ? [] : [`${name} was ${value}, and is ${other}`];
  });
  return haveSameEvents(base, next)
    ? sentences
    : [...sentences, "the events differ, so that bytes are not compared"];
}

/** The load and the cost of a sync are left out: they never are the same, and floors are for that. */
function conditionsOf({ environment, effort }: BenchReport): ReadonlyArray<[string, string]> {
  const { node, system, processor, cores, fileSystem, sqlite } = environment;
  return [
    ["Node", node],
    ["the system", system],
    ["the processor", `${cores} × ${processor}`],
    ["the file system", fileSystem ?? "unknown"],
    ["SQLite", sqlite ?? "not used"],
    ["the effort", effort],
  ];
}
