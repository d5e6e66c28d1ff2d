import { realpathSync } from "node:fs";
import type { Checkpointer } from "../src/index.ts";
import { agentLimits } from "./agent-limits.ts";
import { modelCompactor, type Compactor } from "./compact/compactor.ts";
import { defaultStore } from "./default-store.ts";
import type { ModelProvider } from "./model-provider.ts";
import type { Permission } from "./run-tool.ts";
import type { Tool } from "./tool.ts";
import { fileTools } from "./tools/file-tools.ts";
import { tracedCheckpointer } from "./trace.ts";

/** Options of `createLiteAgent`. */
export interface AgentOptions {
  readonly model: ModelProvider;
  /** The vendor's name of the model. */
  readonly modelName: string;
  /** The directory the agent works in; its file tools do not leave it. It has to exist. */
  readonly workdir: string;
  /**
   * Where sessions are kept; left open by `close()`. Default: files under the user's data directory, one folder
   * a project.
   */
  readonly checkpointer?: Checkpointer | undefined;
  /** False: nothing is kept, and every method that is about sessions rejects with `SESSIONS_OFF`. Default true. */
  readonly sessions?: boolean | undefined;
  /** What the model is told before everything else. */
  readonly system?: string | undefined;
  /** What the model can ask for. Default: `fileTools`. */
  readonly tools?: readonly Tool[] | undefined;
  /** Asked before each tool call; the decision is recorded. One that throws says no. Default: all may run. */
  readonly permission?: Permission | undefined;
  /** Writes summaries for `compact`. Default: the same model. */
  readonly compactor?: Compactor | undefined;
  /** Tokens of one answer at most. Default 8,192. */
  readonly maxTokens?: number | undefined;
  /** Requests to the model in one turn at most. Default 200. */
  readonly maxSteps?: number | undefined;
}

/** {@link AgentOptions} with every default filled in. */
export interface ResolvedAgentOptions {
  readonly model: ModelProvider;
  readonly modelName: string;
  /** Absolute, without symbolic links. */
  readonly workdir: string;
  /** Null: sessions are off. */
  readonly checkpointer: Checkpointer | null;
  /** Whether `close()` closes it. */
  readonly ownsCheckpointer: boolean;
  readonly system: string | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permission: Permission | undefined;
  readonly compactor: Compactor;
  readonly maxTokens: number;
  readonly maxSteps: number;
}

/** What both vendors allow for a tool's name. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** Fills in defaults and checks bounds. */
export function resolveAgentOptions(options: AgentOptions): ResolvedAgentOptions {
  const { model, modelName, sessions = true, system, permission, tools = fileTools } = options;
  const { maxTokens = agentLimits.maxTokens, maxSteps = agentLimits.maxSteps } = options;
  if (typeof model?.stream !== "function") {
    throw new TypeError("model: wanted a ModelProvider, such as anthropic()");
  }
  if (typeof modelName !== "string" || modelName === "") {
    throw new TypeError("modelName: wanted the vendor's name of a model");
  }
  requireCount("maxTokens", maxTokens);
  requireCount("maxSteps", maxSteps);
  const workdir = resolveWorkdir(options.workdir);
  const { checkpointer = sessions ? defaultStore(workdir) : null } = options;
  return {
    model,
    modelName,
    workdir,
    checkpointer: sessions && checkpointer !== null ? tracedCheckpointer(checkpointer) : null,
    ownsCheckpointer: options.checkpointer === undefined,
    system,
    tools: byName(tools),
    permission,
    compactor: options.compactor ?? modelCompactor({ model, modelName }),
    maxTokens,
    maxSteps,
  };
}

function resolveWorkdir(workdir: unknown): string {
  if (typeof workdir !== "string" || workdir === "" || workdir.includes("\0")) {
    throw new TypeError("workdir: wanted a directory, met something else");
  }
  try {
    return realpathSync(workdir);
  } catch (cause) {
    throw new RangeError("workdir: wanted a directory that exists", { cause });
  }
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (!toolName.test(tool.name)) {
      throw new TypeError("tools: wanted names of 1 to 64 letters, digits, _ and -");
    }
    if (map.has(tool.name)) throw new TypeError(`tools: two are called ${tool.name}`);
    map.set(tool.name, tool);
  }
  return map;
}

function requireCount(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  throw new RangeError(`${name}: wanted a whole number from 1`);
}
