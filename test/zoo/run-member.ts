import { runProperty, type PropertyResult } from "../../conformance/run-property.ts";
import { pinnedSeed } from "../../conformance/budget.ts";
import { properties } from "../../conformance/properties/index.ts";
import type { CreateFixture } from "../../conformance/fixture.ts";
import type { Property } from "../../conformance/property.ts";

/** Enough generated values for every member, and few enough for a hundred of them. */
const effort = 0.2;

/** Milliseconds; several times what the slowest case takes on a busy machine. */
const patience = 4_000;

/** Runs one property on a member. */
export function runOn(property: Property, createFixture: CreateFixture): Promise<PropertyResult> {
  return runProperty(property, createFixture, { budget: { seed: pinnedSeed, effort }, patience });
}

/** Runs every property on a member. */
export async function runAll(createFixture: CreateFixture): Promise<PropertyResult[]> {
  const results: PropertyResult[] = [];
  for (const property of properties) results.push(await runOn(property, createFixture));
  return results;
}

/** Whether a property has noticed something. A case that comes to no end has, too. */
export function isKill({ outcome }: PropertyResult): boolean {
  return outcome === "fail" || outcome === "hung";
}
