import type { Checkpointer, SummaryEvent } from "../../src/index.ts";
import type { CompactionEvent, CompactionStage, TokenCount } from "../agent-event.ts";
import { AgentError } from "../agent-error.ts";
import { messagesOf } from "../conversation.ts";
import { messageOf } from "../outcome.ts";
import type { SessionLog } from "../session-log.ts";
import { emptyState, foldEvent } from "../session-state.ts";
import type { Compactor } from "./compactor.ts";
import { estimateTokens, measureTokens } from "./measure-tokens.ts";
import { normalize } from "./normalize.ts";

/** Where a compaction happens. */
export interface CompactionSetting {
  /** Null: the session is nowhere but in this process. */
  readonly checkpointer: Checkpointer | null;
  readonly log: SessionLog;
  readonly compactor: Compactor;
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
}

/** How often `archive` tells how far it is. */
const archiveReports = 20;

/**
 * Appends a summary that stands for the conversation so far. History is never rewritten: everything before it can
 * still be read, and gone back to. Until `persist` nothing is changed, so a failure or an abort leaves the session
 * as it was; after `done` the summary is durable. Nothing said since the last summary: nothing to do.
 *
 * @throws the signal's reason after the event `cancelled`; what failed after the event `error`
 */
export async function* compactSession(
  setting: CompactionSetting,
): AsyncGenerator<CompactionEvent, void> {
  const { log, signal } = setting;
  const { sessionId } = log;
  const event = (
    phase: CompactionEvent["phase"],
    more?: Partial<CompactionEvent>,
  ): CompactionEvent => ({
    type: "compaction",
    phase,
    sessionId,
    ...more,
  });
  yield event("start");
  try {
    const { changed, tokens } = yield* steps(setting, (stage, more) => {
      signal.throwIfAborted();
      return event("progress", { stage, ...more });
    });
    yield event("done", { changed, tokens });
  } catch (error) {
    if (signal.aborted) yield event("cancelled");
    else yield event("error", { message: messageOf(error) });
    throw error;
  }
}

async function* steps(
  setting: CompactionSetting,
  progress: (stage: CompactionStage, more?: Partial<CompactionEvent>) => CompactionEvent,
): AsyncGenerator<CompactionEvent, Pick<CompactionEvent, "changed" | "tokens">> {
  const { log, compactor, instructions, signal } = setting;
  const { state } = log;
  const tokens = measureTokens(state);
  yield progress("measure", { tokens });
  if (!state.conversation.some(({ seq }) => seq > state.summaryAt))
    return { changed: false, tokens };

  const throughSeq = state.head;
  yield* archive(setting, progress);
  yield progress("normalize");
  const messages = normalize(messagesOf(state.conversation));
  yield progress("summarize");
  const summary = await compactor.summarize({ messages, instructions }, signal);
  if (typeof summary !== "string" || summary.trim() === "") {
    throw new AgentError("MODEL_FAILED", `${compactor.id}: wanted a summary, met nothing`);
  }
  const boundary: SummaryEvent = { type: "summary", summary, throughSeq };
  const count = estimateTokens([{ content: [{ type: "text", text: summary }] }]);
  const after: TokenCount = { count, by: "estimated" };
  yield progress("project", { tokens: after });
  yield progress("persist");
  // Behind this one there is no way back.
  signal.throwIfAborted();
  await log.append([boundary]);
  return { changed: true, tokens: after };
}

/** Reads back what the summary will stand for, and checks that the store gives the same conversation again. */
async function* archive(
  { checkpointer, log, signal }: CompactionSetting,
  progress: (stage: CompactionStage, more?: Partial<CompactionEvent>) => CompactionEvent,
): AsyncGenerator<CompactionEvent, void> {
  const total = log.state.head;
  const step = Math.max(1, Math.ceil(total / archiveReports));
  const again = emptyState();
  yield progress("archive", { completed: 0, total });
  if (checkpointer === null) return;
  for await (const stored of checkpointer.read(log.sessionId, { untilSeq: total, signal })) {
    foldEvent(again, stored);
    if (stored.seq % step === 0 || stored.seq === total) {
      yield progress("archive", { completed: stored.seq, total });
    }
  }
  if (again.head === total && again.conversation.length === log.state.conversation.length) return;
  throw new AgentError(
    "SESSION_CHANGED",
    "The session is not as this agent left it: resume it first",
  );
}
