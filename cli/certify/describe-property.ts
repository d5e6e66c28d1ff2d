import type { Property, Requirement } from "../../conformance/property.ts";

/** What a store must have, in words that go behind "needs". */
const requirementWords: Readonly<Record<Requirement, string>> = {
  full: "the whole Checkpointer interface",
  truncate: "truncate, as claimed",
  range: "range, as claimed",
  idempotency: "idempotency, as claimed",
  headToken: "headToken, as claimed",
  listPage: "listPage, as claimed",
  fork: "fork, as claimed",
  verify: "verify, as claimed",
  repair: "repair, as claimed",
  handles: "concurrency beyond one object, as claimed",
  processes: "concurrency beyond one process, as claimed, and the fixture's processModule",
  durable: "durability, as claimed",
  power: "durability through a power cut, as claimed",
  files: "an adapter that writes its own files",
  logFile: "the fixture's logFile",
  damage: "the fixture's logFile or damage",
  block: "the fixture's block",
  paced: "the fixture's openPaced",
  directory: "the fixture's directory",
  server: "a server that the suite can put a relay in front of",
};

const levelWords = {
  L1: "L1 core",
  L2: "L2 concurrent",
  L3: "L3 crash-safe",
  L4: "L4 distributed",
} as const;

/** Everything that the catalogue says about a property, as lines. */
export function describeProperty(property: Property): readonly string[] {
  const { id, statement, reason, reports = [], cases, level, group, advisory } = property;
  const needs = (property.requires ?? []).map((one) => requirementWords[one]);
  const status = advisory === true ? ", advisory: no level needs it" : "";
  return [
    `${id}  ${statement}`,
    `  level   ${levelWords[level]}${status}; group ${group}`,
    `  needs   ${needs.length === 0 ? "nothing" : needs.join("; ")}`,
    `  why     ${reason}`,
    ...listed("reports", reports.map(urlOf)),
    ...listed("cases", cases.map(describeCase)),
  ];
}

function describeCase({ name, requires = [] }: Property["cases"][number]): string {
  const needs = requires.map((one) => requirementWords[one]);
  return needs.length === 0 ? name : `${name} (needs ${needs.join("; ")})`;
}

/** `owner/repository#number` as the address of a thread. */
function urlOf(report: string): string {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(report) ?? [];
  if (repository === undefined || number === undefined) return report;
  return `${report}  https://github.com/${repository}/issues/${number}`;
}

function listed(title: string, items: readonly string[]): readonly string[] {
  return items.map((item, index) => `  ${(index === 0 ? title : "").padEnd(7)} ${item}`);
}
