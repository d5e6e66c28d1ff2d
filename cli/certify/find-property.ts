import type { Property } from "../../conformance/property.ts";
import { properties } from "../../conformance/properties/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";

/**
 * The property of an id, however its letters are written.
 *
 * @throws CliError that names the nearest ids when there is none
 */
export function requireProperty(id: string): Property {
  const found = properties.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found !== undefined) return found;
  const met = `There is no property "${escapeText(id)}"`;
  throw new CliError(exitCodes.usage, `${met}; nearest are ${nearest(id).join(", ")}`);
}

/** The three ids that look most like `id`: the same letters first, then the nearest number. */
function nearest(id: string): readonly string[] {
  const [letters, number] = partsOf(id);
  const distance = (other: string): number => {
    const [otherLetters, otherNumber] = partsOf(other);
    const apart = Math.abs(otherNumber - number);
    return otherLetters === letters ? apart : apart + 1_000;
  };
  return properties
    .map((one) => one.id)
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, 3);
}

function partsOf(id: string): readonly [letters: string, number: number] {
  const [, letters = "", digits = ""] = /^(\D*)(\d*)/.exec(id.toUpperCase()) ?? [];
  return [letters, Number(digits)];
}
