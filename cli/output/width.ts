const scripts = ["Han", "Hiragana", "Katakana", "Hangul"].map((name) => `\\p{Script=${name}}`);
const forms = "\\u3000-\\u303f\\uff01-\\uff60\\uffe0-\\uffe6";
const wide = new RegExp(`[\\p{Emoji_Presentation}${scripts.join("")}${forms}]`, "u");
const zero = /\p{Mn}|\p{Me}|[\ufe0e\ufe0f]/u;

/** Terminal cells that `text` takes; escaped text, so no control characters. */
export function cells(text: string): number {
  let total = 0;
  for (const character of text) total += cellsOf(character);
  return total;
}

/** `text` cut to at most `columns` cells, with an ellipsis where something was cut. */
export function fit(text: string, columns: number): string {
  let used = 0;
  let kept = "";
  let fitting = "";
  for (const character of text) {
    used += cellsOf(character);
    if (used > columns) return `${fitting}…`;
    kept += character;
    if (used < columns) fitting = kept;
  }
  return text;
}

/** `text` with spaces behind it up to `columns` cells. */
export function padCells(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - cells(text)));
}

function cellsOf(character: string): number {
  if (character <= "\u02ff") return 1;
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
