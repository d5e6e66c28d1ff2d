/**
 * Certifies any store of agent sessions: what it promises, at which level it keeps it, and where not.
 *
 * @module
 */
export type { Budget, FuzzParameters, Replay } from "./budget.ts";
export { certify, type CertifyOptions, type Progress } from "./certify.ts";
export type { Check, ConflictFields } from "./check.ts";
export { certifyCodec, type CertifyCodecOptions } from "./codec/certify-codec.ts";
export type { CodecFixture, CodecPromises } from "./codec/codec-fixture.ts";
export type { CodecCase, CodecProperty, CodecRequirement } from "./codec/codec-property.ts";
export type { CodecReport } from "./codec/codec-report.ts";
export type { ResolvedPromises } from "./codec/codec-requirements.ts";
export type { CodecSubject } from "./codec/codec-subject.ts";
export { codecProperties } from "./codec/properties/index.ts";
export type { Context, OwnedContext } from "./context.ts";
export {
  checkpointerConformance,
  jestConformance,
  mochaConformance,
  nodeTestConformance,
  vitestConformance,
  type ConformanceCase,
  type Describe,
  type EmitterOptions,
  type Jest,
  type Mocha,
  type MochaContext,
  type NodeTest,
  type Vitest,
} from "./emitters.ts";
export type {
  BlockedSession,
  CreateFixture,
  DamageKind,
  Fixture,
  ServerReach,
  OpenedHandle,
  Pace,
  ProcessModule,
} from "./fixture.ts";
export { checkHistory } from "./history/check-history.ts";
export { explainViolation, type Explanation } from "./history/explain-violation.ts";
export type {
  AppendCall,
  Call,
  DeleteCall,
  HeadCall,
  History,
  Operation,
  OperationOutcome,
  ReadCall,
  StoredId,
  TruncateCall,
} from "./history/history.ts";
export { parseHistory } from "./history/parse-history.ts";
export {
  idField,
  outcomeOfError,
  recordHistory,
  type HistoryRecorder,
  type RecordableCheckpointer,
  type RecordedCheckpointer,
  type RecordedExpectation,
} from "./history/record-history.ts";
export type { SearchLimits } from "./history/search-order.ts";
export type { Rule, Undecided, Verdict, Violation } from "./history/verdict.ts";
export { optionalCapabilities, type Manifest, type OptionalCapability } from "./manifest.ts";
export { pacedStore } from "./paced-store.ts";
export {
  levels,
  type Case,
  type Checkable,
  type CheckableCase,
  type Level,
  type Property,
  type Requirement,
} from "./property.ts";
export { properties } from "./properties/index.ts";
export { levelOf, type Report, type RunSummary } from "./report.ts";
export { reportBadge } from "./reports/report-badge.ts";
export { reportJson, type ReportDocument } from "./reports/report-json.ts";
export { reportJunit } from "./reports/report-junit.ts";
export { reportMarkdown } from "./reports/report-markdown.ts";
export { reportText } from "./reports/report-text.ts";
export type { ReportOptions } from "./reports/replay-command.ts";
export type { ReportedResult } from "./reports/findings.ts";
export { runProperty, type PropertyResult, type RunOptions } from "./run-property.ts";
export type { Handle } from "./session-state.ts";
