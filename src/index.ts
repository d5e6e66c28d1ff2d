/**
 * The contract, the engine and everything an adapter or codec author needs.
 *
 * @module
 */
export { toAnchorPoint, type Anchor, type AnchorPoint } from "./anchor.ts";
export type { Capabilities, StoreCapabilities, StoreLimits } from "./capabilities.ts";
export type {
  AppendOptions,
  Checkpointer,
  HeadToken,
  ListOptions,
  MinimalCheckpointer,
  ReadOptions,
  RewriteReport,
  StoredEvent,
  TailOptions,
  VerifyFinding,
  VerifyReport,
} from "./checkpointer.ts";
export type { Codec, CodecContext, CodecPlace } from "./codec.ts";
export { createCheckpointer, type CheckpointerOptions } from "./create-checkpointer.ts";
export {
  CheckpointConflictError,
  CheckpointError,
  CodecError,
  CorruptLogError,
  isCheckpointError,
  quote,
  type CodecErrorCode,
  type ErrorCode,
} from "./errors.ts";
export { newGeneration } from "./generation.ts";
export { headTokenOf, matchesBase } from "./head-token.ts";
export { limits, type Limits } from "./limits.ts";
export { comparePosition, pageSessions } from "./list-page.ts";
export type {
  Base,
  Batch,
  Change,
  ListPage,
  LogHead,
  NewRecord,
  Outcome,
  RecordRange,
  RecordStore,
  Repair,
  RewriteRecord,
  StoredRecord,
  StoreFinding,
} from "./record-store.ts";
export type {
  AssistantEvent,
  BackgroundCompletedEvent,
  BackgroundStartedEvent,
  EventObject,
  FileImage,
  FileSnapshotEvent,
  MessageContent,
  PermissionDecisionEvent,
  RestoredEvent,
  RestoreStartedEvent,
  SessionEvent,
  SummaryEvent,
  ToolResultEvent,
  ToolStartedEvent,
  UserEvent,
} from "./session-event.ts";
export { sealedCheckpointer, type SealedEvent } from "./sealed-checkpointer.ts";
export type { SessionKeys, SessionKeyStore, WrappedKey } from "./session-key-store.ts";
export type { ListPosition, SessionInfo } from "./session-info.ts";
export { requireSessionId } from "./session-id.ts";
export { utf8Length } from "./utf8.ts";
