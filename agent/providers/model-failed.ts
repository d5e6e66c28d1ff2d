import { AgentError } from "../agent-error.ts";

/** A vendor's sentence says what to do; a page of HTML or an echoed prompt does not. */
const maxLength = 300;

/** Shorter keys are words such as `none`, which a server on one's own machine is given. */
const minSecretLength = 8;

/** What keys look like, for those that are not ours to know: `sk-…`, and what follows `Bearer`. */
const keyLike = /\bsk-[\w*-]{8,}|(?<=\bBearer )\S+/gi;

/**
 * A vendor's refusal, or a broken connection, as one line without keys and headers. The error it comes
 * from is not its `cause`: those of the vendors' packages hold response headers, undici's the address.
 *
 * @param id - the provider
 * @param secrets - keys in use, never to be repeated
 */
export function modelFailed(id: string, error: unknown, secrets: readonly string[]): AgentError {
  return new AgentError("MODEL_FAILED", `${id}: ${oneLine(reasonOf(error), secrets)}`);
}

/** Reads what the errors of `@anthropic-ai/sdk` and `openai` have in common, whichever version threw. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed without an error";
  const { status, error: body } = error as { status?: unknown; error?: unknown };
  const said = vendorsWords(body);
  if (typeof status === "number") return said === "" ? `HTTP ${status}` : `HTTP ${status} ${said}`;
  if (said !== "") return said;
  const code = systemCode(error);
  if (code !== undefined) return `the connection failed (${code})`;
  // What the parser says quotes the text.
  return error instanceof SyntaxError ? "sent something that is not JSON" : error.message;
}

/** `type: message` of an error body, which Anthropic wraps once more and simpler servers leave a string. */
function vendorsWords(body: unknown): string {
  if (typeof body === "string") return body;
  if (typeof body !== "object" || body === null) return "";
  const { error, type, code, message } = body as Readonly<Record<string, unknown>>;
  if (typeof error === "object" && error !== null) return vendorsWords(error);
  return [type ?? code, message].filter((part) => typeof part === "string").join(": ");
}

/** The system's or undici's code: `ECONNREFUSED`. It is on the innermost of the errors. */
function systemCode(error: Error): string | undefined {
  if (error.cause instanceof Error) return systemCode(error.cause);
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

function oneLine(text: string, secrets: readonly string[]): string {
  let line = text;
  for (const secret of secrets) {
    if (secret.length >= minSecretLength) line = line.replaceAll(secret, "[key]");
  }
  line = line.replace(keyLike, "[key]").replaceAll(/\s+/g, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
