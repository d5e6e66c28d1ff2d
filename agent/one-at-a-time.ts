import { AgentError } from "./agent-error.ts";

/** Lets one thing run at a time; nothing waits, what comes second is refused. */
export interface OneAtATime {
  readonly isBusy: boolean;
  /**
   * Begins something that ends when the function is called that this returns.
   *
   * @throws AgentError `AGENT_BUSY`
   */
  begin(what: string): () => void;
  /** The same around a promise. */
  run<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs. */
  ended(): Promise<void>;
}

/** Nothing runs yet. */
export function oneAtATime(): OneAtATime {
  let running: Promise<void> | null = null;

  function begin(what: string): () => void {
    if (running !== null) {
      throw new AgentError("AGENT_BUSY", `Cannot ${what} now: something else is under way`);
    }
    let end: () => void = () => undefined;
    running = new Promise<void>((resolve) => (end = resolve));
    return () => {
      running = null;
      end();
    };
  }

  return {
    get isBusy() {
      return running !== null;
    },
    begin,
    async run(what, work) {
      const end = begin(what);
      try {
        return await work();
      } finally {
        end();
      }
    },
    ended: async () => running ?? undefined,
  };
}
