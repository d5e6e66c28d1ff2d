import type { Budget } from "./budget.ts";
import { createContext } from "./context.ts";
import type { CreateFixture } from "./fixture.ts";
import type { Manifest } from "./manifest.ts";
import { untestedSurface } from "./untested-surface.ts";

/** What is looked at: a store by its name and its claims. */
export interface SubjectDescription {
  readonly name: string;
  readonly manifest: Manifest;
  /** Methods that are there and work, but are not claimed. */
  readonly untested: readonly string[];
}

/** Makes one store and asks it who it is. */
export async function describeSubject(
  createFixture: CreateFixture,
  budget: Budget,
): Promise<SubjectDescription> {
  const context = await createContext(createFixture, budget);
  try {
    const { fixture, manifest } = context;
    return {
      name: fixture.name,
      manifest,
      untested: await untestedSurface(await context.open(), manifest),
    };
  } finally {
    await context.dispose();
  }
}
