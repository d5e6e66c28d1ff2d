import { createCollector } from "./collector.ts";
import type { Span } from "./position.ts";
import { isBlank } from "./white-space.ts";

const newline = 0x0a;

/**
 * The lines of a stream, without their line feeds. Only byte 0x0A ends a line: U+2028 and other
 * separators that some readers honour are ordinary characters in JSON. Blank lines are skipped; the
 * last line needs no line feed.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Span> {
  const collector = createCollector();
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      const start = { line, byte: 1 };
      collector.add(chunk.subarray(from, at), start);
      const bytes = collector.take();
      if (!isBlank(bytes)) yield { bytes, start };
      line += 1;
      from = at + 1;
    }
    collector.add(chunk.subarray(from), { line, byte: 1 });
  }
  const bytes = collector.take();
  if (!isBlank(bytes)) yield { bytes, start: { line, byte: 1 } };
}
