/**
 * Control characters (C0, C1, ESC, DEL), bidi controls, zero width and other invisible characters,
 * line and paragraph separators, unpaired surrogates. What a terminal would act on, and what a
 * reader would not see. The two emoji presentation selectors stay: they change a glyph, no more.
 */
const unsafe =
  /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `text` made safe to print: what must not reach a terminal becomes a JSON-style escape. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => named[character] ?? escapeUnits(character));
}

/** {@link escapeText} for text of several lines: line feeds and tabs stay. */
export function escapeLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeText);
}

/**
 * JSON on one line that is safe to print. Such characters only ever stand inside strings, where the
 * escape means the same, so parsing gives back exactly `value`.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, escapeUnits);
}

/** A session id for people: bare when nothing about it could mislead, else as a JSON string. */
export function showId(id: string): string {
  const plain = !/["\\\s]/.test(id) && escapeText(id) === id && id !== "";
  return plain ? id : jsonLine(id);
}

function escapeUnits(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
