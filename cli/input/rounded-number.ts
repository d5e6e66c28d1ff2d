/** A number in a JSON text that JavaScript cannot hold. */
export interface ChangedNumber {
  readonly number: string;
  /** Where it starts in the text. */
  readonly index: number;
}

/** A number of up to 15 digits and a small exponent always survives; this is what might not. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * The first number in a valid JSON text that a double turns into another number: too many digits
 * (12345678901234567890), too large (1e999) or too small (1e-999). Another notation of the same
 * number is no change: 1.0 and 1, 1E2 and 100, -0 and 0.
 */
export function numberThatChanges(text: string): ChangedNumber | null {
  if (!suspicious.test(text)) return null;
  const token = /-?\d[\d.eE+-]*/y;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') {
      index = endOfString(text, index);
      continue;
    }
    token.lastIndex = index;
    const number = isNumberStart(character) ? token.exec(text)?.[0] : undefined;
    if (number !== undefined && !survives(number)) return { number, index };
    index += number?.length ?? 1;
  }
  return null;
}

function survives(number: string): boolean {
  const value = Number(number);
  return Number.isFinite(value) && canonical(number) === canonical(String(value));
}

/** Sign, digits without zeros at either end, and the power of ten of the last one. */
function canonical(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** Index behind the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charAt(index - 1 - backslashes) === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function isNumberStart(character: string): boolean {
  return character === "-" || (character >= "0" && character <= "9");
}
