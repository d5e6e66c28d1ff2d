import type { MessageContent } from "../src/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createLiteAgent } from "./lite-agent.ts";
import type { TurnResult } from "./turn.ts";

/** Options of {@link query}. */
export interface QueryOptions extends AgentOptions {
  readonly prompt: MessageContent;
  /** A session to go on with. Default: a new one. */
  readonly sessionId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One prompt without an agent to look after: the events of its turn as they happen, then the turn's result as the
 * generator's value. Leaving the loop cancels the turn.
 *
 * @throws as `LiteAgent.send` and `LiteAgent.resume`
 */
export async function* query(options: QueryOptions): AsyncGenerator<AgentEvent, TurnResult> {
  const { prompt, sessionId, signal } = options;
  const agent = createLiteAgent(options);
  const waiting: AgentEvent[] = [];
  let wake: () => void = () => undefined;
  agent.subscribe((event) => {
    waiting.push(event);
    wake();
  });
  try {
    if (sessionId !== undefined) await agent.resume(sessionId);
    let ended = false;
    const turn = agent.send(prompt, signal === undefined ? {} : { signal }).finally(() => {
      ended = true;
      wake();
    });
    // Its failure is told at the end, after the events that led to it.
    turn.catch(() => undefined);
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (ended) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await agent.idle();
    yield* waiting;
    return await turn;
  } finally {
    await agent.close();
  }
}
