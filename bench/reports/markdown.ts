import { plainLine } from "./plain-line.ts";

/** Text that means itself inside a line and a cell. */
export function inline(text: string): string {
  return plainLine(text).replace(/[\\`*_[\]<>|&#~]/g, String.raw`\$&`);
}

/** A table whose cells are plain text, the first `texts` columns to the left; nothing without rows. */
export function markdownTable(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  texts = 2,
): string {
  if (rows.length === 0) return "";
  const rule = head.map((_, index) => (index < texts ? "---" : "--:"));
  const lines = [head.map(inline), rule, ...rows.map((row) => row.map(inline))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A list whose items are plain text; nothing without any. */
export function markdownList(lines: readonly string[]): string {
  return lines.map((line) => `- ${inline(line)}`).join("\n");
}

/** The same below a line; nothing without any. */
export function titledList(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n\n${markdownList(lines)}`;
}

/** What there is of some parts, with an empty line between them. */
export function markdownPage(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
