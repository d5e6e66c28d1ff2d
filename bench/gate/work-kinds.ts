import { appendExpecting, appendHundred, appendOne, appendTen } from "../workloads/append.ts";
import { listSessions } from "../workloads/list.ts";
import { readWhole, resumeLarge, resumeSession } from "../workloads/read.ts";
import { deleteSession, forkSession, truncateSession } from "../workloads/shorten.ts";
import { writersApart, writersTogether } from "../workloads/writers.ts";
import type { Sizes, WorkKind } from "../workload.ts";

/** Work that can turn the gate red. Few, since each one more makes the others harder to prove. */
export const gatedKinds: readonly WorkKind[] = [
  appendOne,
  appendTen,
  appendHundred,
  writersTogether,
  readWhole,
  resumeSession,
];

/** Work that is measured where it is asked for, and reported. */
const reportedKinds: readonly WorkKind[] = [
  appendExpecting,
  writersApart,
  resumeLarge,
  listSessions,
  truncateSession,
  forkSession,
  deleteSession,
];

/** All of them. */
export const workKinds: readonly WorkKind[] = [...gatedKinds, ...reportedKinds];

/** As the workloads name them. */
export const gateSizes: Sizes = { session: 10_000, large: 100_000, sessions: 10_000 };
