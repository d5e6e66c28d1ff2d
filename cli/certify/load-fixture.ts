import type { CreateFixture } from "../../conformance/fixture.ts";
import { createBuiltInFixture } from "./built-in-fixtures.ts";
import type { FixtureSource } from "./fixture-source.ts";

/**
 * The function that makes the fixtures of a source.
 *
 * @throws Error in one line when the module cannot be loaded, or has no such function
 */
export async function loadFixture(source: FixtureSource): Promise<CreateFixture> {
  // The suite waits for each of the adapter's times, again and again.
  if (source.kind === "built-in") return createBuiltInFixture(source, { hasty: true });
  const { createFixture, default: byDefault } = await load(source.url);
  const found = createFixture ?? byDefault;
  if (typeof found === "function") return found as CreateFixture;
  throw new TypeError("the module exports no function createFixture, and no function by default");
}

async function load(url: string): Promise<{ createFixture?: unknown; default?: unknown }> {
  try {
    return (await import(url)) as object;
  } catch (error) {
    throw new Error(`the module cannot be loaded: ${String(error)}`, { cause: error });
  }
}
