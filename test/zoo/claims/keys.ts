// What the suite has to say about ../broken/keys.ts.

import {
  burnsKeysOfConflicts,
  burnsKeysOfNothing,
  ignoresEventsOfKnownKeys,
  ignoresKeys,
  keepsKeysInMemory,
  keepsKeysOfCutBatches,
  looksAtHeadBeforeKey,
  sharesKeysAmongSessions,
  writesKeysAfterwards,
} from "../broken/keys.ts";
import { overHandle, overStore } from "../faults.ts";
import type { ZooMember } from "../member.ts";

/** Members that get idempotency keys wrong. */
export const keyClaims: readonly ZooMember[] = [
  {
    id: "Z47",
    defect: "it writes keys in a second transaction",
    provenance: ["kurrent-io/KurrentDB#1970"],
    fails: ["K7"],
    createFixture: overStore(writesKeysAfterwards),
  },
  {
    id: "Z48",
    defect: "it ignores the events of an append with a known key",
    provenance: ["kurrent-io/KurrentDB#2274"],
    fails: ["K3", "K7", "S1"],
    createFixture: overHandle(ignoresEventsOfKnownKeys),
  },
  {
    id: "Z106",
    defect: "it ignores keys",
    provenance: ["nicdex/node-eventstore-client#85"],
    fails: ["P39", "P47", "K1", "K2", "K3", "K6", "K7", "S1"],
    createFixture: overStore(ignoresKeys),
  },
  {
    id: "Z107",
    defect: "it looks at the expected head before it looks for the key",
    provenance: ["kurrent-io/KurrentDB#1898"],
    fails: ["P13", "P49", "P57", "K2", "K3", "S1", "P55"],
    createFixture: overStore(looksAtHeadBeforeKey),
  },
  {
    id: "Z108",
    defect: "it has one table of keys for all sessions",
    provenance: ["kurrent-io/KurrentDB#2274"],
    fails: ["K4", "K6", "S1"],
    createFixture: overHandle(sharesKeysAmongSessions),
  },
  {
    id: "Z109",
    defect: "it keeps keys in the memory of a handle",
    provenance: ["openai/openai-agents-python#1699"],
    fails: ["K1", "K6", "K7", "S1"],
    createFixture: overStore(keepsKeysInMemory),
  },
  {
    id: "Z110",
    defect: "it keeps the keys of batches that it cuts",
    provenance: ["found while building this kit: 3158234"],
    fails: ["K6"],
    createFixture: overStore(keepsKeysOfCutBatches),
  },
  {
    id: "Z111",
    defect: "it burns the key of an append of nothing",
    provenance: ["found while building this kit: 3158234"],
    fails: ["K5"],
    createFixture: overHandle(burnsKeysOfNothing),
  },
  {
    id: "Z112",
    defect: "it burns the key of an append that conflicts",
    provenance: ["kurrent-io/KurrentDB#1898"],
    fails: ["K5", "S1"],
    createFixture: overHandle(burnsKeysOfConflicts),
  },
];
