import { expect, test } from "vitest";
import { properties } from "./properties/index.ts";
import { runProperty } from "./run-property.ts";

const [first] = properties;
const options = { budget: { seed: 1, effort: 1 }, patience: 20 };

test("a fixture that never opens is hung, and one that throws is an error", async () => {
  const fixture = { name: "none", dispose: () => undefined };
  const never = () => ({ ...fixture, open: () => new Promise<never>(() => undefined) });
  expect(await runProperty(first!, never, options)).toMatchObject({ outcome: "hung", cases: 0 });
  const broken = () => {
    throw new Error("no store here");
  };
  const message = "Error: no store here";
  expect(await runProperty(first!, broken, options)).toMatchObject({ outcome: "error", message });
});
