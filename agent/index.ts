/**
 * Agents whose sessions survive restarts and can go back in time, over any `Checkpointer`.
 *
 * @module
 */
export {
  AgentError,
  RestoreError,
  type AgentErrorCode,
  type RestoreProblem,
} from "./agent-error.ts";
export { toEventStream, type EventStreamOptions } from "./event-stream.ts";
export { importChatMessages } from "./importers/chat-messages.ts";
export { importClaudeCode } from "./importers/claude-code.ts";
export { importCodex } from "./importers/codex.ts";
export type { Imported, TranscriptFormat } from "./importers/event-sequence.ts";
export type {
  TranscriptLines,
  TranscriptRecord,
  TranscriptSource,
} from "./importers/transcript.ts";
export type {
  ContentBlock,
  Message,
  OtherBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "./message.ts";
export type {
  ModelChunk,
  ModelProvider,
  ModelRequest,
  StopReason,
  ToolDefinition,
} from "./model-provider.ts";
export {
  traceSpan,
  tracedCheckpointer,
  tracedStore,
  type SpanContext,
  type SpanName,
} from "./trace.ts";
