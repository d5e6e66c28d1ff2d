import type { TokenCount } from "../agent-event.ts";
import { agentLimits } from "../agent-limits.ts";
import type { ConversationEntry } from "../conversation.ts";
import type { SessionState } from "../session-state.ts";

/** Tokens of a conversation: what the vendor counted with the last request, and a rule of thumb for the rest. */
export function measureTokens({ conversation, measured }: SessionState): TokenCount {
  const since = measured?.throughSeq ?? 0;
  const rest = conversation.filter(({ seq }) => seq > since);
  const count = (measured?.tokens ?? 0) + estimateTokens(rest);
  return { count, by: measured !== null && rest.length === 0 ? "measured" : "estimated" };
}

/** A rule of thumb. */
export function estimateTokens(entries: ReadonlyArray<Pick<ConversationEntry, "content">>): number {
  const characters = entries.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  return Math.ceil(characters / agentLimits.charactersPerToken);
}
