import type { PostgresCheckpointer } from "../adapters/postgres/index.ts";
import type { CheckpointerOptions, EventObject } from "../src/index.ts";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";
import type { StoreScheme } from "./open-store.ts";

/** A schema of a PostgreSQL database, as a URL; `schema` in it is ours, the rest the driver's. */
export const postgresScheme: StoreScheme = {
  shape: "postgres://<user>@<host>/<database>?schema=<name>",
  async exists(_location, spec) {
    const store = await open(spec, {});
    try {
      return await store.isSetUp();
    } finally {
      await store.close();
    }
  },
  open: (_location, spec, sealing) => open(spec, sealing),
};

async function open(
  spec: string,
  sealing: CheckpointerOptions,
): Promise<PostgresCheckpointer<EventObject>> {
  const { postgresCheckpointer } = await import("../adapters/postgres/index.ts");
  const place = placeOf(spec);
  try {
    return postgresCheckpointer<EventObject>({ ...place, ...sealing });
  } catch (error) {
    // Such an error names what is wrong and never repeats it.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new CliError(
      exitCodes.usage,
      `Wanted a store as ${postgresScheme.shape}: ${error.message}`,
    );
  }
}

function placeOf(spec: string): { connectionString: string; schema: string | undefined } {
  const question = spec.indexOf("?");
  if (question < 0) return { connectionString: spec, schema: undefined };
  const parameters = new URLSearchParams(spec.slice(question + 1));
  const schema = parameters.get("schema") ?? undefined;
  parameters.delete("schema");
  const rest = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  return { connectionString: `${spec.slice(0, question)}${rest}`, schema };
}
