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
  AgentEvent,
  CompactionEvent,
  CompactionStage,
  RestoreProgressEvent,
  TokenCount,
  TurnEvent,
} from "./agent-event.ts";
export type { AgentOptions } from "./agent-options.ts";
export {
  extractiveCompactor,
  modelCompactor,
  type Compactor,
  type SummaryRequest,
} from "./compact/compactor.ts";
export { createLiteAgent, type LiteAgent } from "./lite-agent.ts";
export {
  isText,
  isToolResult,
  isToolUse,
  textOf,
  type ContentBlock,
  type Message,
  type OtherBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./message.ts";
export type {
  ModelChunk,
  ModelProvider,
  ModelRequest,
  StopReason,
  ToolDefinition,
} from "./model-provider.ts";
export { query, type QueryOptions } from "./query.ts";
export type { Checkpoint } from "./restore/list-checkpoints.ts";
export type { RestoreOptions, RestoreResult } from "./restore/restore-session.ts";
export type { Place } from "./restore/session-history.ts";
export type { Permission } from "./run-tool.ts";
export type { Tool, ToolContext } from "./tool.ts";
export { fileTools } from "./tools/file-tools.ts";
export {
  traceSpan,
  tracedCheckpointer,
  tracedStore,
  type SpanContext,
  type SpanName,
} from "./trace.ts";
export type { TurnResult } from "./turn.ts";
export { anthropic, type AnthropicClient, type AnthropicOptions } from "./providers/anthropic.ts";
export { openai, type OpenaiClient, type OpenaiOptions } from "./providers/openai.ts";
export { parseScript } from "./providers/parse-script.ts";
export {
  scriptedModel,
  type ScriptedAnswer,
  type ScriptedStep,
  type ScriptedToolCall,
} from "./providers/scripted-model.ts";
export type { VendorOptions } from "./providers/vendor-options.ts";
