import { readFile } from "node:fs/promises";
import {
  anthropic,
  extractiveCompactor,
  openai,
  parseScript,
  scriptedModel,
  type AgentOptions,
  type ModelProvider,
  type VendorOptions,
} from "../../agent/index.ts";
import { CliError } from "../cli-error.ts";
import type { Io } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText } from "../output/escape.ts";
import { systemMessage } from "../system-message.ts";

/** Which model to talk to, as it was typed. */
export interface ModelOptions {
  /** `<provider>/<name>`; the name may have slashes of its own. */
  readonly model?: string | undefined;
  /** A file with the answers of a model that there is none of. */
  readonly scripted?: string | undefined;
}

/** The part of an agent's options that depends on the model. */
export type ChosenModel = Pick<AgentOptions, "model" | "modelName" | "compactor">;

interface Vendor {
  readonly create: (options: VendorOptions) => ModelProvider;
  /** The model when only the vendor is known. */
  readonly modelName: string;
  /** Variables that the vendor's package knows too. */
  readonly key: string;
  readonly url: string;
}

const vendors: Readonly<Record<string, Vendor>> = {
  anthropic: {
    create: anthropic,
    modelName: "claude-sonnet-5-5",
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
  },
  openai: {
    create: openai,
    modelName: "gpt-5.4",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
  },
};

/**
 * The model that the options name, else the default one of the first vendor whose key is in the environment.
 *
 * @throws CliError that says what to do
 */
export async function chooseModel(
  { env }: Pick<Io, "env">,
  { model, scripted }: ModelOptions,
): Promise<ChosenModel> {
  if (scripted !== undefined) {
    if (model !== undefined) throw usage("--scripted is a model of its own: leave out --model");
    return readScript(scripted);
  }
  const [name, modelName] = model === undefined ? [vendorIn(env)] : splitName(model);
  const vendor = vendors[name];
  if (vendor === undefined) throw new Error(`no vendor ${name}`);
  const apiKey = env[vendor.key];
  if (!apiKey) {
    throw new CliError(exitCodes.failed, `${name} wants a key: set ${vendor.key}`);
  }
  return {
    model: vendor.create({ apiKey, baseURL: env[vendor.url] || undefined }),
    modelName: modelName ?? vendor.modelName,
  };
}

function vendorIn(env: Io["env"]): string {
  const found = Object.entries(vendors).find(([, { key }]) => env[key]);
  if (found !== undefined) return found[0];
  const keys = Object.values(vendors).map(({ key }) => key);
  const wanted = `set ${keys.join(" or ")}, or talk to a script with --scripted <file>`;
  throw new CliError(exitCodes.failed, `No model to talk to: ${wanted}`);
}

function splitName(model: string): [string, string] {
  const [, name = "", modelName = ""] = /^([^/]*)\/(.+)$/.exec(model) ?? [];
  if (Object.hasOwn(vendors, name)) return [name, modelName];
  const wanted = Object.keys(vendors).map((vendor) => `${vendor}/<name>`);
  throw usage(`--model: wanted ${wanted.join(" or ")}, met "${escapeText(model)}"`);
}

async function readScript(path: string): Promise<ChosenModel> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const detail = `Cannot read ${escapeText(path)}: ${systemMessage(error)}`;
    throw new CliError(exitCodes.failed, detail);
  });
  return {
    model: scriptedModel(parseScript(text)),
    modelName: "scripted",
    compactor: extractiveCompactor(),
  };
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
