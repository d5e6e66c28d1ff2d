/**
 * Certifies any store of agent sessions: what it promises, at which level it keeps it, and where not.
 *
 * @module
 */
export type { Budget, FuzzParameters, Replay } from "./budget.ts";
export { certify, type CertifyOptions, type Progress } from "./certify.ts";
export type { Check, ConflictFields } from "./check.ts";
export type { Context } from "./context.ts";
export {
  checkpointerConformance,
  jestConformance,
  mochaConformance,
  nodeTestConformance,
  vitestConformance,
  type ConformanceCase,
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
  OpenedHandle,
  ProcessModule,
} from "./fixture.ts";
export type { Manifest } from "./manifest.ts";
export { levels, type Case, type Level, type Property, type Requirement } from "./property.ts";
export { properties } from "./properties/index.ts";
export type { Report } from "./report.ts";
export { runProperty, type PropertyResult, type RunOptions } from "./run-property.ts";
export type { Handle } from "./session-state.ts";
