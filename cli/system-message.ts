/** What the operating system said, without the code, the call and the path that Node adds. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/^E[A-Z0-9]+: /, "").replace(/, [a-z_]+( '.*)?$/s, "");
}
