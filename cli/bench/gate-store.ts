import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { adapterNames, type AdapterName } from "../../bench/gate/messages.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { pathOf } from "../location.ts";
import { escapeText } from "../output/escape.ts";
import { redact } from "../redact.ts";

/** Where the gate makes its stores. */
export interface GateStore {
  readonly adapter: AdapterName;
  /** A folder that is there; each store gets a new one in it, which is removed in the end. */
  readonly folder: string;
}

/**
 * The store of `--store`, as the gate takes it: `sqlite:<folder>`, `file:<folder>` or `memory:`. Without
 * a folder it is the one for temporary files.
 *
 * @throws CliError for anything else
 */
export async function gateStoreOf(spec: string): Promise<GateStore> {
  const [, scheme, location = ""] = /^([a-z]+):(.*)$/s.exec(spec) ?? [];
  const adapter = adapterNames.find((name) => name === scheme);
  const shown = escapeText(redact(spec));
  if (adapter === undefined || (adapter === "memory" && location !== "")) {
    const wanted = "sqlite:<folder>, file:<folder> or memory:";
    throw new CliError(exitCodes.usage, `Cannot measure "${shown}"; wanted ${wanted}`);
  }
  const folder = location === "" ? tmpdir() : pathOf(location);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) {
    const message = `No folder at "${shown}"; the gate makes its stores in one that is there`;
    throw new CliError(exitCodes.usage, message);
  }
  return { adapter, folder };
}
