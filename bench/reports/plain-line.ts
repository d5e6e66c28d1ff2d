/** What a terminal would act on, and what a reader would not see: control, format and lone surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** `text` on one line, in characters that only stand for themselves; others become JSON-style escapes. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(unseen, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => {
      return character.charCodeAt(index).toString(16).padStart(4, "0");
    });
    return units.map((unit) => `\\u${unit}`).join("");
  });
}
