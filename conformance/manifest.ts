import type { Capabilities } from "../src/index.ts";
import type { Fixture } from "./fixture.ts";

/** What a store promises, as the suite takes it: `kit` 0 stands for the minimal methods alone. */
export interface Manifest extends Omit<Capabilities, "kit"> {
  readonly kit: 0 | 1;
}

/** What a manifest can claim with yes or no. */
export const optionalCapabilities = [
  "truncate",
  "range",
  "idempotency",
  "headToken",
  "listPage",
  "fork",
  "verify",
  "repair",
] as const;

/** One of {@link optionalCapabilities}. */
export type OptionalCapability = (typeof optionalCapabilities)[number];

/** What a store promises that says nothing: one handle, no durability, small events. */
const nothing: Manifest = {
  kit: 0,
  concurrency: "instance",
  durability: "none",
  readIsolation: "prefix",
  clock: "local",
  // Small enough for everybody, so that the cases about limits ask for nothing unusual.
  limits: { maxEventBytes: 1_048_576, maxBatchEvents: 5_000, maxSessionIdBytes: 255 },
  truncate: false,
  idempotency: false,
  headToken: false,
  range: false,
  listPage: false,
  tail: "poll",
  fork: false,
  verify: false,
  repair: false,
};

/** The manifest of a handle; without one, what the fixture says in its place. */
export function manifestOf(handle: object, { manifest }: Fixture): Manifest {
  const { capabilities, truncate } = handle as { capabilities?: Capabilities; truncate?: unknown };
  return capabilities ?? { ...nothing, truncate: typeof truncate === "function", ...manifest };
}
