import { inspect } from "node:util";

/** Everything that logs make of a thrown value, but for the id of a key, which is no secret. */
export function printed(value: unknown): string {
  const own = typeof value === "object" && value !== null ? value : {};
  const { cause, stack, message, keyId } = own as Partial<Record<string, unknown>>;
  const names = Object.getOwnPropertyNames(own);
  const text = [
    String(value),
    String(message),
    String(stack),
    ...names.map((name) => JSON.stringify((own as Record<string, unknown>)[name])),
    inspect(value, { depth: 9, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    cause === undefined ? "" : printed(cause),
  ].join("\n");
  // Long arrays are printed in columns, with blanks and line breaks between their numbers.
  const line = text.replaceAll(/\s+/g, " ");
  return typeof keyId === "string" && keyId !== "" ? line.replaceAll(keyId, "") : line;
}

/**
 * Whether a text holds a piece of secret bytes in one of the spellings that printing gives them.
 *
 * @param length - of a piece; that many bytes are no accident
 */
export function holdsPiece(text: string, secret: Uint8Array, length: number): boolean {
  for (let start = 0; start + length <= secret.length; start += 1) {
    const piece = Buffer.from(secret.subarray(start, start + length));
    const spellings = [
      piece.toString("latin1"),
      piece.toString("hex"),
      piece.toString("hex").toUpperCase(),
      // Only whole groups of three bytes are spelled alone; every third start begins one.
      piece.subarray(0, length - (length % 3)).toString("base64"),
      piece.subarray(0, length - (length % 3)).toString("base64url"),
      piece.join(","),
      piece.join(", "),
      piece.toString("hex").replace(/..(?!$)/g, "$& "),
    ];
    if (spellings.some((spelling) => text.includes(spelling))) return true;
  }
  return false;
}
