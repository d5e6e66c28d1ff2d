/** Rows as lines whose columns stand under each other, the first `texts` columns to the left. */
export function textTable(rows: ReadonlyArray<readonly string[]>, texts = 2): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => {
    return Math.max(...rows.map((row) => row[column]?.length ?? 0));
  });
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column < texts ? cell.padEnd(width) : cell.padStart(width);
    });
    return `  ${cells.join("  ")}`.trimEnd();
  });
}
