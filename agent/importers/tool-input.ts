/** The input of a tool call whose arguments a model wrote as JSON in a string; text that is no JSON as it is. */
export function toolInput(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
