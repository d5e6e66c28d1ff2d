/** A Markdown table. */
export function markdownTable(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
): string {
  const rule = head.map(() => "---:");
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
