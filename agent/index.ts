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
