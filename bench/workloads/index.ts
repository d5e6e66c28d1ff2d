import {
  bareAppends,
  bareList,
  bareRead,
  bareReadLast,
  type FloorWork,
} from "../floors/floor-work.ts";
import type { LatencyKind } from "../latency-work.ts";
import type { Sizes, WorkKind } from "../workload.ts";
import { appendExpecting, appendHundred, appendOne, appendTen } from "./append.ts";
import { coldOpen } from "./cold-open.ts";
import { appendBehind, growthSteps } from "./growth.ts";
import { listSessions } from "./list.ts";
import { manyProcesses } from "./many-processes.ts";
import { mixedCalls } from "./mixed-calls.ts";
import { openLoopAppends } from "./open-loop-appends.ts";
import { lastEvents, readWhole, resumeLarge, resumeSession } from "./read.ts";
import { readerBesideWriter } from "./reader-beside-writer.ts";
import { deleteSession, forkSession, truncateSession } from "./shorten.ts";
import { writersApart, writersTogether } from "./writers.ts";

/** Kinds of work that take turns with each other and with their floors. */
export interface TimedGroup {
  readonly members: readonly TimedKind[];
  /** The members show how one operation grows; the last one is the figure. */
  readonly growth?: readonly number[];
}

/** A kind of work and what it is compared with. */
export interface TimedKind {
  readonly kind: WorkKind;
  readonly floor: FloorWork | null;
}

/** Everything that is timed, in the order of the ids. */
export function timedGroups(sizes: Sizes): readonly TimedGroup[] {
  const { session, large } = sizes;
  const one = bareAppends(1);
  return [
    alone(appendOne, one),
    alone(appendTen, bareAppends(10)),
    alone(appendHundred, bareAppends(100)),
    alone(appendExpecting, one),
    alone(writersApart, one),
    alone(writersTogether, one),
    alone(manyProcesses, one),
    alone(readWhole, bareRead),
    {
      members: [
        { kind: resumeSession, floor: bareReadLast(lastEvents, () => session) },
        { kind: resumeLarge, floor: bareReadLast(lastEvents, () => large) },
      ],
    },
    alone(listSessions, bareList),
    alone(truncateSession, null),
    alone(forkSession, null),
    alone(deleteSession, null),
    {
      members: appendBehind(sizes).map((kind) => ({ kind, floor: null })),
      growth: growthSteps(sizes),
    },
    alone(coldOpen, null),
  ];
}

/** Everything whose figure is a distribution. */
export const latencyKinds: readonly LatencyKind[] = [
  openLoopAppends,
  mixedCalls,
  readerBesideWriter,
];

function alone(kind: WorkKind, floor: FloorWork | null): TimedGroup {
  return { members: [{ kind, floor }] };
}
