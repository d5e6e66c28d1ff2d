/** Events in one append of the writer. */
export const batchSize = 3;

/** Append number `number` of the writer: one edit, as three events that belong together. */
export function batch(number) {
  const callId = `edit_${number}`;
  const path = `src/page-${number % 7}.ts`;
  const text = `// version ${number}\n`.repeat(4_000);
  return [
    { type: "tool_started", callId, name: "edit_file", input: { path } },
    { type: "file_snapshot", path, before: { state: "text", text, mode: 0o644 }, afterHash: null },
    { type: "tool_result", callId, output: `Edited ${path}, change ${number}` },
  ];
}
