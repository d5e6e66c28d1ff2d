// A child process with an agent that does what its parent asks for, one thing after the other, and can be kept
// waiting in the middle of a tool call.

import { createLiteAgent, fileTools, type ModelChunk, type Tool } from "../../agent/index.ts";
import { isAnswered, openStore, workdirIn, type StorePlace } from "./scene.ts";

/** What the child is told at its start. */
export interface AgentOrder {
  readonly directory: string;
  readonly place: StorePlace;
  readonly sessionId: string;
}

/** What a parent asks for. */
export type Request =
  | { readonly do: "resume" }
  | { readonly do: "restore"; readonly seq: number }
  /** A turn that writes a file; with `waits`, its tool waits for `proceed` before it does. */
  | {
      readonly do: "send";
      readonly prompt: string;
      readonly path: string;
      readonly waits?: boolean;
    }
  | { readonly do: "proceed" };

/** What it hears. */
export type AgentReply =
  | { readonly ready: true }
  | { readonly waiting: true }
  | { readonly done: true; readonly branchId?: string | null }
  | { readonly code: string };

const { directory, place, sessionId } = JSON.parse(process.argv[2] ?? "") as AgentOrder;
let proceed: () => void = () => undefined;
let path = "";
let waits = false;

const slowFile: Tool = {
  name: "slow_file",
  description: "Write a file once the parent says so",
  inputSchema: { type: "object" },
  async run(_input, { changeFile }) {
    if (waits) {
      const told = new Promise<void>((resolve) => (proceed = resolve));
      reply({ waiting: true });
      await told;
    }
    await changeFile(path, () => new TextEncoder().encode("written\n"));
    return "Done";
  },
};

const agent = createLiteAgent({
  model: {
    id: "scripted",
    async *stream({ messages }): AsyncGenerator<ModelChunk> {
      const answered = isAnswered(messages);
      if (answered) yield { type: "text", text: "Done." };
      else yield { type: "tool_use", id: `slow-${messages.length}`, name: "slow_file", input: {} };
      yield { type: "stop", reason: answered ? "end" : "tool_use" };
    },
  },
  modelName: "scripted",
  workdir: workdirIn(directory),
  checkpointer: await openStore(directory, place),
  tools: [...fileTools, slowFile],
});

function reply(message: AgentReply): void {
  process.send?.(message);
}

async function answer(request: Request): Promise<AgentReply> {
  switch (request.do) {
    case "resume":
      await agent.resume(sessionId);
      return { done: true };
    case "restore": {
      const { branchId } = await agent.restore(sessionId, request.seq);
      return { done: true, branchId };
    }
    case "send":
      ({ path, waits = false } = request);
      await agent.send(request.prompt);
      return { done: true };
    case "proceed":
      throw new Error("proceed is no request of its own");
  }
}

process.on("message", (request: Request) => {
  if (request.do === "proceed") {
    proceed();
    return;
  }
  answer(request).then(reply, (error: unknown) => {
    const { code = "UNTYPED", message } = error as { code?: string; message: string };
    reply({ code: code === "CONFLICT" ? code : `${code}: ${message}` });
  });
});
reply({ ready: true });
