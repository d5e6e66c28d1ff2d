import type { Command } from "commander";
import { isCheckpointError, type VerifyFinding, type VerifyReport } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context, Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireSession } from "../find-session.ts";
import type { AnchorPlace } from "../keys/anchor-spec.ts";
import { planSealing, sealingOptionsOf } from "../keys/sealing-options.ts";
import { escapeText, jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { namedSession, sessionArgument, type SessionOption } from "../session-argument.ts";
import { exitCodeOfCounts, summarizeCounts, verdictOf, type Verdict } from "../verdict.ts";
import { globalsOf, withStore } from "../with-store.ts";

const help = `
The word in front of a session says what is the matter with it:
  ok        everything was read, decoded and checked
  tampered  a record was changed, moved, or put there unsealed, or the end is not the anchor's
  damaged   bytes are missing or broken, which no key was needed to see
  key       sealed under a key that is unknown, disabled or shredded, or with other settings;
            in the middle of a session also a record whose first bytes were changed
  sealed    sealed, and no key was given
  format    written with another codec, or by a newer version
The first record that is at fault follows, as seq, code and reason. Other sessions are checked all
the same; the exit code is 4 unless all are ok.`;

export function addVerifyCommand(program: Command, context: Context): void {
  sessionArgument(program.command("verify"))
    .description("read and check everything in a session, or in all; changes nothing")
    .addHelpText("after", help)
    .action(async (argument: string | undefined, options: SessionOption, command: Command) => {
      const sessionId = namedSession(argument, options);
      const { json = false } = globalsOf(command);
      const { anchor } = planSealing(sealingOptionsOf(context, command));
      await withStore(context, command, "fail", async (store) => {
        if (sessionId !== undefined) await requireSession(store, sessionId);
        const counts = new Map<Verdict, number>();
        for await (const report of reports(store, sessionId, anchor)) {
          context.io.signal.throwIfAborted();
          const verdict = verdictOf(report);
          counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
          const { out } = context;
          await out.line(json ? jsonLine({ ...report, verdict }) : row(report, verdict, context));
        }
        const exitCode = exitCodeOfCounts(counts);
        if (exitCode === exitCodes.ok) return;
        throw new CliError(exitCode, summarizeCounts(counts));
      });
    });
}

/** A report for every session that is there, and for those of which only the anchor knows. */
async function* reports(
  store: Store,
  sessionId: string | undefined,
  anchor: AnchorPlace | null,
): AsyncGenerator<VerifyReport> {
  const met = new Set<string>();
  for await (const report of store.verify(sessionId)) {
    met.add(report.sessionId);
    yield report;
  }
  if (anchor === null) return;
  for await (const id of sessionId === undefined ? anchor.sessions() : [sessionId]) {
    const finding = met.has(id) ? null : await findingOfLost(store, id);
    if (finding !== null) yield { sessionId: id, ok: false, records: 0, findings: [finding] };
  }
}

/** What the anchor says about a session that is not listed. */
async function findingOfLost(store: Store, sessionId: string): Promise<VerifyFinding | null> {
  try {
    await store.head(sessionId);
    return null;
  } catch (error) {
    if (!isCheckpointError(error)) throw error;
    return { code: error.code, seq: null, offset: null, message: error.message };
  }
}

function row(report: VerifyReport, verdict: Verdict, { style }: Context): string {
  const { sessionId, records, findings } = report;
  const word = verdict.padEnd("tampered".length);
  const shown = verdict === "ok" ? style.good(word) : style.bad(word);
  const details = findings.map((finding) => `; ${detail(finding)}`);
  // A key that opened some records and not the next is seldom the wrong one.
  if (verdict === "key" && records > 0) {
    details.push("; what stands before it opened, so it may have been changed or put there");
  }
  return `${shown}  ${showId(sessionId)}: ${formatCount(records, "record")}${details.join("")}`;
}

function detail({ code, seq, message }: VerifyFinding): string {
  // An anchor is about the end of a log, not about the record at which reading stopped.
  const place = seq === null || code === "ANCHOR_MISMATCH" ? "" : `seq ${seq}: `;
  return `${place}${code}: ${escapeText(message)}`;
}
