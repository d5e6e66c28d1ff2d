import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";

/** A schema on a server, as options of the adapter have it. */
export interface PostgresPlace {
  readonly connectionString: string;
  readonly schema: string;
}

/** How a schema is named, for help and errors. */
export function shapeOf(schema: string): string {
  return `postgres://<user>@<host>/<database>?schema=${schema}`;
}

/** Whether a spec names a schema on a server. */
export function isPostgres(spec: string): boolean {
  return /^postgres(?:ql)?:/.test(spec);
}

/** The place that a URL names; `schema` in it is ours, the rest the driver's. */
export function postgresPlace(spec: string, defaultSchema: string): PostgresPlace {
  const question = spec.indexOf("?");
  if (question < 0) return { connectionString: spec, schema: defaultSchema };
  const parameters = new URLSearchParams(spec.slice(question + 1));
  const schema = parameters.get("schema") ?? defaultSchema;
  parameters.delete("schema");
  const rest = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  return { connectionString: `${spec.slice(0, question)}${rest}`, schema };
}

/**
 * Opens what a URL names.
 *
 * @param what - for the error of a URL that is none
 */
export async function openPostgres<T>(
  what: string,
  defaultSchema: string,
  spec: string,
  open: (place: PostgresPlace) => Promise<T>,
): Promise<T> {
  try {
    return await open(postgresPlace(spec, defaultSchema));
  } catch (error) {
    // Such an error names what is wrong and never repeats it.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const wanted = `Wanted a ${what} as ${shapeOf("<name>")}`;
    throw new CliError(exitCodes.usage, `${wanted}: ${error.message}`);
  }
}

/** Hands what was opened to `work` and always closes it. */
export async function withPostgres<T extends { close(): Promise<void> }, R>(
  opening: Promise<T>,
  work: (opened: T) => Promise<R>,
): Promise<R> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
