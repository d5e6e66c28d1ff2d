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
