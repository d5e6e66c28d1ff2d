import { onDisk } from "./disk-member.ts";
import type { ZooMember } from "../zoo/member.ts";

/** A member whose defect may also be met by chance, where processes race. */
export interface DiskMember extends ZooMember {
  /** Properties that may fail, since the defect is a window between two processes. */
  readonly mayFail?: readonly string[];
}

/** Broken file stores. What fails is written down from what the defect means. */
export const diskZoo: readonly DiskMember[] = [
  {
    id: "Z30",
    defect: "it appends behind whatever a crash has left",
    provenance: ["PrimeIntellect-ai/prime-agent#1785"],
    fails: ["P62", "P63", "P64"],
    createFixture: onDisk({ joinsTornTail: true }),
  },
  {
    id: "Z31",
    defect: "it takes the first line that is no record for the end, and says nothing",
    provenance: ["anthropics/claude-code#50347", "anthropics/claude-code#49876"],
    fails: ["P65"],
    createFixture: onDisk({ stopsAtBadLines: true }),
  },
  {
    id: "Z32",
    defect: "it leaves out lines that are no records, and says nothing",
    provenance: ["anthropics/claude-code#53821"],
    // The line that a crash has cut is left out too, and the next append joins it.
    fails: ["P62", "P63", "P64", "P65"],
    createFixture: onDisk({ skipsBadLines: true }),
  },
  {
    id: "Z34",
    defect: "it says that an append is done, and then syncs it",
    provenance: ["withastro/astro#15453"],
    fails: ["P67", "P71"],
    createFixture: onDisk({ syncsLater: true }),
  },
  {
    id: "Z35",
    defect: "it takes a failed write for a successful one",
    provenance: ["langchain-ai/langchainjs#9386"],
    fails: ["P66"],
    createFixture: onDisk({ swallowsWriteErrors: true }),
  },
  {
    id: "Z36",
    defect: "it tries a failed sync again and believes the second answer",
    provenance: ["anthropics/claude-code#49876"],
    fails: ["P67"],
    createFixture: onDisk({ syncsAgain: true }),
  },
  {
    id: "Z37",
    defect: "it never syncs, and claims to survive a power cut",
    provenance: ["anthropics/claude-code#49876"],
    fails: ["P67", "P71"],
    createFixture: onDisk({ neverSyncs: true }),
  },
  {
    id: "Z130",
    defect: "it syncs files and never the directory that names them",
    provenance: ["anthropics/claude-code#49876"],
    fails: ["P71"],
    createFixture: onDisk({ forgetsDirectories: true }),
  },
  {
    id: "Z131",
    defect: "it truncates a file where it is",
    provenance: ["unjs/unstorage#797"],
    fails: ["P62", "P66", "P71"],
    mayFail: ["P56"],
    createFixture: onDisk({ truncatesInPlace: true }),
  },
  {
    id: "Z132",
    defect: "it writes each record of a batch by itself",
    provenance: ["openai/openai-agents-python#1658"],
    fails: ["P62", "P66", "P71"],
    mayFail: ["P56"],
    createFixture: onDisk({ writesRecordsOneByOne: true }),
  },
  {
    id: "Z133",
    defect: "it empties a session that is deleted, and then removes it",
    provenance: ["netease-lcap/wave-agent#2137"],
    fails: ["P62", "P66", "P71"],
    mayFail: ["P56"],
    createFixture: onDisk({ deletesInTwoSteps: true }),
  },
  {
    id: "Z43",
    defect: "it fails when somebody else makes the store in the same moment",
    provenance: ["apache/maka#1544"],
    fails: ["P56", "P59"],
    createFixture: onDisk({ wantsToCreateTheFolder: true }),
  },
  {
    id: "Z134",
    defect: "it keeps the lock of a dead process for ever",
    provenance: ["Digital-Process-Tools/claude-remember#181"],
    fails: ["P62", "P66", "P69", "B4"],
    createFixture: onDisk({ locksForEver: true }),
  },
  {
    id: "Z38",
    defect: "it takes over a lock that looks old, and its owner does not look again",
    provenance: ["moxystudio/node-proper-lockfile#121"],
    fails: ["P56", "P70"],
    createFixture: onDisk({ takesOldLocks: true }),
  },
  {
    id: "Z40",
    defect: "it takes no lock",
    provenance: ["anthropics/claude-code#45286"],
    fails: ["P56", "P70"],
    mayFail: ["P59"],
    createFixture: onDisk({ takesNoLock: true }),
  },
  {
    id: "Z135",
    defect: "it shows every file in its folder as a session",
    provenance: ["markmhendrickson/neotoma#2075"],
    // Among them those that a crash or a failure has left.
    fails: ["P62", "P66", "P71", "P72", "B4"],
    createFixture: onDisk({ listsEverything: true }),
  },
];
