/** What a terminal in bracketed paste mode (xterm's DECSET 2004) puts around what is pasted. */
const marks = { begin: "\u001b[200~", end: "\u001b[201~" } as const;

/** How to ask a terminal for these marks, and how to stop it. */
export const bracketedPaste = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

/** How a line feed and a tab stand in an editor of one line: by the symbols Unicode has for them. */
const symbols = { lineFeed: "\u240a", tab: "\u2409" } as const;

/** Text of several lines for an editor of one; other control characters, which are keys there, are left out. */
export function asOneLine(text: string): string {
  return text
    .replace(/\r\n?|\n/g, symbols.lineFeed)
    .replaceAll("\t", symbols.tab)
    .replace(/\p{Cc}/gu, "");
}

/** The text that {@link asOneLine} was given. */
export function asTyped(line: string): string {
  return line.replaceAll(symbols.lineFeed, "\n").replaceAll(symbols.tab, "\t");
}

/** What a terminal sends, with all that is pasted at once as one line: a line end in it is not Enter. */
export async function* pastesAsLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let isPasted = false;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    for (;;) {
      const mark = isPasted ? marks.end : marks.begin;
      const at = rest.indexOf(mark);
      // Escape alone is a key of its own, but not inside of what is pasted.
      const shortest = isPasted ? 1 : 2;
      const length = at < 0 ? rest.length - beginningOf(mark, rest, shortest) : at;
      const text = rest.slice(0, length);
      if (text !== "") yield isPasted ? asOneLine(text) : text;
      if (at < 0) {
        rest = rest.slice(length);
        break;
      }
      rest = rest.slice(at + mark.length);
      isPasted = !isPasted;
    }
  }
  if (rest !== "") yield rest;
}

/** How many characters at the end of `text` may be the beginning of a mark. */
function beginningOf(mark: string, text: string, shortest: number): number {
  for (let length = mark.length - 1; length >= shortest; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
