// What the suite has to say about ../broken/ids.ts and ../broken/lists.ts.

import {
  cutsIds,
  echoesIdsInLowerCase,
  ignoresCase,
  joinsPaths,
  normalisesIds,
  sanitisesIds,
} from "../broken/ids.ts";
import {
  hidesEmptySessions,
  keepsThePageItWasAskedFor,
  listsByCreation,
  listsByMinute,
  listsByName,
  listsNewSessionsForNothing,
  looksForTheCursorItself,
  movesOnlyForAppends,
  takesPrefixForPattern,
} from "../broken/lists.ts";
import { overHandle, overStore } from "../faults.ts";
import type { ZooMember } from "../member.ts";

/** Members that name or list sessions wrongly. */
export const listClaims: readonly ZooMember[] = [
  {
    id: "Z20",
    defect: "it makes names of ids with the characters that files can have",
    provenance: ["anthropics/claude-code#29342"],
    fails: ["P40", "P43", "L1", "S1"],
    createFixture: overStore(sanitisesIds),
  },
  {
    id: "Z21",
    defect: "it makes paths of ids as they are",
    provenance: ["by construction"],
    fails: ["P41"],
    createFixture: joinsPaths,
  },
  {
    id: "Z22",
    defect: "it ignores case in ids",
    provenance: ["anomalyco/opencode#35587"],
    fails: ["P40", "P43", "L1", "M4", "S1"],
    createFixture: overStore(ignoresCase),
  },
  {
    id: "Z25",
    defect: "it lists by creation",
    provenance: ["mastra-ai/mastra#7748", "mastra-ai/mastra#17932"],
    fails: ["P38", "P39", "P48", "S1"],
    createFixture: overStore(listsByCreation),
  },
  {
    id: "Z26",
    defect: "it keeps times by the minute",
    provenance: ["mastra-ai/mastra#24237"],
    fails: ["P37", "P38", "P39", "P48", "L1", "L2", "S1"],
    createFixture: overStore(listsByMinute),
  },
  {
    id: "Z89",
    defect: "it normalises ids",
    provenance: ["anomalyco/opencode#35587"],
    fails: ["P40"],
    createFixture: overStore(normalisesIds),
  },
  {
    id: "Z90",
    defect: "it cuts ids at 255 characters",
    provenance: ["anomalyco/opencode#35587"],
    fails: ["P40"],
    createFixture: overStore(cutsIds),
  },
  {
    id: "Z91",
    defect: "it gives ids back in lower case",
    provenance: ["langchain-ai/langgraphjs#592"],
    fails: ["P05"],
    createFixture: overHandle(echoesIdsInLowerCase),
  },
  {
    id: "Z92",
    defect: "it lists by name",
    provenance: ["mastra-ai/mastra#7748"],
    fails: ["P37", "P38", "P48", "L1", "L2", "S1"],
    createFixture: overStore(listsByName),
  },
  {
    id: "Z93",
    defect: "it moves a session in the list for appends alone",
    provenance: ["mastra-ai/mastra#17932"],
    fails: ["P38", "P39", "P48", "S1"],
    createFixture: overStore(movesOnlyForAppends),
  },
  {
    id: "Z94",
    defect: "it takes a prefix for a pattern",
    provenance: ["anomalyco/opencode#35587"],
    fails: ["L1"],
    createFixture: overStore(takesPrefixForPattern),
  },
  {
    id: "Z95",
    defect: "it hides sessions that are empty",
    provenance: ["langchain-ai/langgraphjs#592"],
    fails: ["P37", "P38", "P39", "P48", "M4", "S1"],
    createFixture: overStore(hidesEmptySessions),
  },
  {
    id: "Z96",
    defect: "it starts over when the session of a cursor is gone",
    provenance: ["mastra-ai/mastra#24237"],
    fails: ["L2"],
    createFixture: overStore(looksForTheCursorItself),
  },
  {
    id: "Z97",
    defect: "it hands out the list that it keeps",
    provenance: ["langchain-ai/langgraph#8796"],
    fails: ["P28"],
    createFixture: overHandle(keepsThePageItWasAskedFor),
  },
  {
    id: "Z98",
    defect: "it lists a session that nothing was appended to",
    provenance: ["Eventuous/eventuous#553"],
    fails: ["P07", "K5", "S1"],
    createFixture: overHandle(listsNewSessionsForNothing),
  },
];
