import type { VerifyFinding, VerifyReport } from "../src/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { formatCount } from "./output/format-count.ts";

/** What is the matter with a session, in a word; the worst first. */
const verdicts = ["tampered", "damaged", "key", "sealed", "format", "unreadable", "ok"] as const;

export type Verdict = (typeof verdicts)[number];

const byCode: Readonly<Partial<Record<VerifyFinding["code"], Verdict>>> = {
  TORN_TAIL: "ok",
  AUTH_FAILED: "tampered",
  PLAINTEXT_IN_SEALED_LOG: "tampered",
  ANCHOR_MISMATCH: "tampered",
  WRONG_KEY: "key",
  KEY_UNKNOWN: "key",
  KEY_DISABLED: "key",
  KEY_SHREDDED: "key",
  SEALED_IN_PLAIN_LOG: "sealed",
  UNSUPPORTED_FORMAT: "format",
  KEY_UNAVAILABLE: "unreadable",
  BUSY: "unreadable",
  LOG_CHANGED: "unreadable",
};

/** How a count of sessions goes on. */
const words: Readonly<Record<Exclude<Verdict, "ok">, string>> = {
  tampered: "tampered with",
  damaged: "damaged",
  key: "not opened by this key",
  sealed: "sealed with no key given",
  format: "written with another codec or version",
  unreadable: "could not be read now",
};

/** What a report comes to. Anything unknown counts as damage. */
export function verdictOf({ findings }: Pick<VerifyReport, "findings">): Verdict {
  const met = new Set(findings.map(({ code }) => byCode[code] ?? "damaged"));
  return verdicts.find((verdict) => met.has(verdict)) ?? "ok";
}

/** How many sessions came to which verdict. */
type VerdictCounts = ReadonlyMap<Verdict, number>;

/** `1 of 3 sessions damaged`, or `2 of 3 sessions not ok: 1 tampered with, 1 damaged`. */
export function summarizeCounts(counts: VerdictCounts): string {
  const checked = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const total = `of ${formatCount(checked, "session")}`;
  const bad = badOnes(counts).map((verdict) => {
    return { count: counts.get(verdict) ?? 0, word: words[verdict] };
  });
  const [first, second] = bad;
  if (first !== undefined && second === undefined) return `${first.count} ${total} ${first.word}`;
  const parts = bad.map(({ count, word }) => `${count} ${word}`);
  return `${checked - (counts.get("ok") ?? 0)} ${total} not ok: ${parts.join(", ")}`;
}

/** The exit code for all sessions together. */
export function exitCodeOfCounts(counts: VerdictCounts): number {
  const bad = badOnes(counts);
  if (bad.length === 0) return exitCodes.ok;
  return bad.every((verdict) => verdict === "unreadable") ? exitCodes.busy : exitCodes.damaged;
}

function badOnes(counts: VerdictCounts): Array<Exclude<Verdict, "ok">> {
  return verdicts.filter((verdict) => verdict !== "ok").filter((verdict) => counts.has(verdict));
}
